-- What an answer cost. Programs that know only version 2 may go on: what they record has no price.
ALTER TABLE usage ADD COLUMN cache_read INTEGER; -- of tokens_in
ALTER TABLE usage ADD COLUMN cache_written INTEGER; -- of tokens_in
ALTER TABLE usage ADD COLUMN cost INTEGER; -- in billionths of a dollar; NULL where it is not known

UPDATE meta SET value='3' WHERE key='schema';
