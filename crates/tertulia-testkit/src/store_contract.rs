//! What every store has to do; run on the one in memory and on every real one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "these are the bodies of tests"
)]

mod accept;
mod bench;
mod history;
mod moved;
mod queue;
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
}
