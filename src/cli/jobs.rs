//! Several files at a time, their outcomes in the files' order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// Files begun beyond the one whose outcome is due, for each that runs at a time: while that one
/// takes long, the others go on, and what they found waits in memory.
const AHEAD: usize = 4;

/// Calls `work` on each of `files`, on `jobs` of them at a time, and `take` with an iterator over what
/// it gave, in the order of the files; `None` stands for a call that panicked. No more are begun once
/// `is_over` says so.
pub(super) fn in_order<T: Send, R>(
    files: &[PathBuf],
    jobs: NonZero<usize>,
    (work, is_over): (impl Fn(&PathBuf) -> T + Sync, impl Fn() -> bool),
    take: impl FnOnce(&mut dyn Iterator<Item = (&PathBuf, Option<T>)>) -> R,
) -> R {
    let slots = Slots { free: Mutex::new(jobs.get()), freed: Condvar::new() };
    thread::scope(|scope| {
        let mut waiting = files.iter();
        let mut begun: VecDeque<(&PathBuf, ScopedJoinHandle<'_, T>)> = VecDeque::new();
        let (slots, work) = (&slots, &work);
        let mut outcomes = std::iter::from_fn(|| {
            while begun.len() < jobs.get().saturating_mul(AHEAD) && !is_over() {
                let Some(file) = waiting.next() else { break };
                begun.push_back((file, scope.spawn(move || slots.hold(|| work(file)))));
            }
            let (file, thread) = begun.pop_front()?;
            Some((file, thread.join().ok()))
        });
        take(&mut outcomes)
    })
}

/// How many may still run.
struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Gives a slot back, also when what held it panics.
struct Held<'a>(&'a Slots);

impl Slots {
    fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.freed.wait_while(free, |free| *free == 0);
        let mut free = wait.unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_sub(1);
        drop(free);
        let _held = Held(self);
        work()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_add(1);
        drop(free);
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn files() -> Vec<PathBuf> {
        (0..40).map(|number| PathBuf::from(number.to_string())).collect()
    }

    #[test]
    fn outcomes_come_in_order_and_no_more_run_than_asked_for() {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |file: &PathBuf| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let number: u64 = file.to_str().unwrap().parse().unwrap();
            thread::sleep(Duration::from_millis(number % 7));
            running.fetch_sub(1, Ordering::SeqCst);
            number
        };
        let jobs = NonZero::new(3).unwrap();
        let found: Vec<Option<u64>> = in_order(&files(), jobs, (work, || false), |all| {
            all.map(|(_, number)| number).collect()
        });
        assert_eq!(found, (0..40).map(Some).collect::<Vec<_>>());
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn a_panic_takes_no_slot_and_no_other_file_along() {
        let work = |file: &PathBuf| assert!(file.to_str() != Some("3"));
        let jobs = NonZero::new(1).unwrap();
        let lost: Vec<PathBuf> = in_order(&files(), jobs, (work, || false), |all| {
            all.filter(|(_, done)| done.is_none()).map(|(file, _)| file.clone()).collect()
        });
        assert_eq!(lost, [PathBuf::from("3")]);
    }

    #[test]
    fn what_is_over_begins_nothing() {
        let jobs = NonZero::new(2).unwrap();
        assert_eq!(in_order(&files(), jobs, (|_: &PathBuf| (), || true), |all| all.count()), 0);
    }
}
