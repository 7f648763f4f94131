//! Executors in a destructor during unwinding: they do not cause the panic that is in progress.

use ikra_hostile_tests::{THREADS, WAYS, Way, while_unwinding};

use super::executors::{assert_as_expected, everything, expected};

fn attack(way: Way) {
    expected();
    for threads in THREADS {
        let found = while_unwinding(way, threads, everything);
        assert_as_expected(&found, &format!("{way:?}, {threads} threads"));
    }
}

macro_rules! ways {
    ($($name:ident $way:ident)*) => {
        $(
            #[test]
            fn $name() {
                attack(Way::$way);
            }
        )*
        #[test]
        fn all_ways_are_tried() {
            assert_eq!(WAYS, [$(Way::$way),*]);
        }
    };
}
ways! {
    while_a_thread_of_the_pool_unwinds Install
    while_a_task_of_a_scope_unwinds Scope
    while_one_side_of_join_unwinds Join
    while_an_item_of_a_parallel_iterator_unwinds ParIter
    while_a_thread_of_the_programs_own_unwinds OwnThread
    while_a_destructor_of_a_destructor_unwinds Twice
    while_a_resumed_panic_unwinds Resumed
}
