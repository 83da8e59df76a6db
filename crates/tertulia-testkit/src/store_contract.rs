//! What every store has to do; run on the one in memory and on every real one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "these are the bodies of tests"
)]

mod accept;
mod bench;
mod change;
mod desk;
mod files;
mod forget;
mod history;
mod import;
mod moved;
mod queue;
mod retry;
mod slots;
mod turns;

use std::sync::Arc;

use tertulia_ports::Store;

use crate::fake_store::Clock;
use bench::Bench;

/// Runs every check on a fresh store that `make` gives, with the clock it has to use.
///
/// # Panics
/// If the store does not do what the port promises.
pub async fn store_contract(make: impl Fn(Clock) -> Arc<dyn Store>) {
    let fresh = || Bench::new(&make);
    accept::a_row_is_accepted_once(fresh()).await;
    accept::accounts_do_not_shadow_each_other(fresh()).await;
    accept::rows_come_back_as_they_were(fresh()).await;
    accept::only_the_author_amends_and_only_while_it_waits(fresh()).await;
    accept::withdrawing_drops_or_forgets(fresh()).await;
    accept::marks_move_with_the_events(fresh()).await;
    accept::tokens_grow_old(fresh()).await;
    queue::the_queue_is_bounded(fresh()).await;
    queue::commands_are_bounded_apart(fresh()).await;
    queue::each_bound_tells_once(fresh()).await;
    turns::a_turn_begins_once(fresh()).await;
    turns::impossible_turns_are_refused(fresh()).await;
    turns::joined_rows_become_one_turn(fresh()).await;
    turns::an_unfinished_turn_comes_back_whole(fresh()).await;
    turns::rounds_keep_the_order_of_the_calls(fresh()).await;
    turns::an_incomplete_round_can_be_asked_anew(fresh()).await;
    turns::what_a_call_says_is_stored_with_its_result(fresh()).await;
    turns::settling_makes_history_once(fresh()).await;
    turns::a_turn_that_is_not_live_leaves_no_history(fresh()).await;
    turns::the_window_is_cut_between_turns(fresh()).await;
    turns::commands_do_not_queue(fresh()).await;
    turns::dropped_rows_are_not_answered(fresh()).await;
    slots::a_slot_is_opened_once(fresh()).await;
    slots::session_and_courier_keep_to_their_fields(fresh()).await;
    slots::surplus_answers_are_deleted(fresh()).await;
    slots::what_was_never_posted_is_not_due(fresh()).await;
    slots::a_long_slot_is_split_once(fresh()).await;
    slots::due_slots_come_in_order(fresh()).await;
    slots::impossible_slots_are_refused(fresh()).await;
    moved::a_chat_moves_with_its_threads(fresh()).await;
    moved::a_thread_moves_alone(fresh()).await;
    moved::merging_loses_nothing(fresh()).await;
    history::people_see_their_words_and_the_answers(fresh()).await;
    history::a_chat_has_its_threads_and_nothing_else(fresh()).await;
    change::what_is_set_is_read_back(fresh()).await;
    change::permits_are_given_and_taken_back(fresh()).await;
    change::settings_and_permits_move_with_the_chat(fresh()).await;
    change::a_new_epoch_hides_what_was_said(fresh()).await;
    change::a_reply_changes_everything_or_nothing(fresh()).await;
    change::what_operators_say_stands_where_it_was_said(fresh()).await;
    change::greetings_are_known_for_a_day(fresh()).await;
    retry::a_retry_takes_the_place_of_the_last_turn(fresh()).await;
    retry::a_retry_happens_once(fresh()).await;
    retry::impossible_retries_are_refused(fresh()).await;
    files::a_content_is_kept_once(fresh()).await;
    files::what_no_slot_names_any_more_is_deleted(fresh()).await;
    forget::everything_that_was_said_is_gone(fresh()).await;
    forget::what_still_waits_stays(fresh()).await;
    forget::other_conversations_are_left_alone(fresh()).await;
    import::lines_come_in_once_and_in_order(fresh()).await;
    import::imported_lines_stand_before_all_others(fresh()).await;
    import::a_conversation_is_made_where_there_is_none(fresh()).await;
    desk::conversations_are_described(fresh()).await;
    desk::the_last_turn_is_the_newest_that_counts(fresh()).await;
    desk::a_button_is_for_whoever_caused_the_turn(fresh()).await;
    desk::unsent_answers_come_whole(fresh()).await;
    desk::dead_letters_are_tried_again_or_deleted(fresh()).await;
    desk::wishes_of_settled_turns_change(fresh()).await;
    desk::spending_is_summed_up(fresh()).await;
}
