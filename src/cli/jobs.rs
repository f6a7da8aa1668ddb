//! Several files at a time within one memory budget, their outcomes in the files' order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use tcplimit::{Budget, Lease};

/// Files begun beyond the one whose outcome is due, for each that runs at a time: while that one
/// takes long, the others go on, and what they found waits in memory, of which it is a part.
const AHEAD: usize = 4;

/// How many run at a time.
pub(super) struct Jobs {
    pub(super) budget: Arc<Budget>,
    pub(super) number: NonZero<usize>,
}

/// An outcome, which takes memory until its lease is dropped.
type Leased<T> = (T, Arc<Lease>);

/// A file's rank and name, and the thread that is on it.
type Begun<'file, 'scope, T> = (usize, &'file PathBuf, ScopedJoinHandle<'scope, Option<Leased<T>>>);

impl Jobs {
    /// Calls `work` on each of `files`, and `take` with an iterator over what it gave, in the order of
    /// the files; `None` stands for a call that panicked. Where `work` gives nothing, or has to drop
    /// what it gave, it is called again when its outcome is due. No more are begun once `is_over` says
    /// so.
    pub(super) fn in_order<T: Send, R>(
        &self,
        files: &[PathBuf],
        (work, is_over): (impl Fn(&PathBuf, &Arc<Lease>) -> Option<T> + Sync, impl Fn() -> bool),
        take: impl FnOnce(&mut dyn Iterator<Item = (&PathBuf, Option<T>)>) -> R,
    ) -> R {
        let ahead = self.number.get().saturating_mul(AHEAD);
        thread::scope(|scope| {
            // Whatever ends this, those that wait for their turn are not to wait for ever.
            let _closing = Closing(&self.budget);
            let mut waiting = files.iter().enumerate();
            let mut begun: VecDeque<Begun<'_, '_, T>> = VecDeque::new();
            let mut taken: Option<Arc<Lease>> = None;
            let work = &work;
            let mut outcomes = std::iter::from_fn(|| {
                drop(taken.take());
                while begun.len() < ahead && !is_over() {
                    let Some((rank, file)) = waiting.next() else { break };
                    let thread = scope.spawn(move || self.lead_to_end(rank, file, work));
                    begun.push_back((rank, file, thread));
                }
                let (rank, file, thread) = begun.pop_front()?;
                self.budget.advance(rank);
                let (outcome, lease) = thread.join().ok().flatten().unzip();
                taken = lease;
                Some((file, outcome))
            });
            take(&mut outcomes)
        })
    }

    /// Comes back when the outcome is due; with none where none is wanted any more.
    fn lead_to_end<T>(
        &self,
        rank: usize,
        file: &PathBuf,
        work: &impl Fn(&PathBuf, &Arc<Lease>) -> Option<T>,
    ) -> Option<Leased<T>> {
        let mut must_be_due = !can_be_read_again(file);
        loop {
            let lease = Arc::new(self.budget.lease(rank, must_be_due)?);
            if let Some(outcome) = work(file, &lease) {
                if lease.wait_until_due() {
                    return Some((outcome, lease));
                }
            }
            must_be_due = true;
        }
    }
}

/// A pipe gives what it holds once.
fn can_be_read_again(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

struct Closing<'a>(&'a Budget);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tcplimit::Config;
    use tempfile::TempDir;

    use super::*;

    /// Only what is a file is begun before it is due.
    fn files(folder: &TempDir) -> Vec<PathBuf> {
        let files = (0..40).map(|number| folder.path().join(format!("{number}")));
        files.inspect(|file| fs::write(file, "").unwrap()).collect()
    }

    fn number(file: &Path) -> u64 {
        file.file_name().unwrap().to_str().unwrap().parse().unwrap()
    }

    fn jobs(number: usize) -> Jobs {
        let number = NonZero::new(number).unwrap();
        Jobs { budget: Config::default().budget(number), number }
    }

    #[test]
    fn outcomes_come_in_order_and_no_more_run_than_asked_for() {
        let folder = TempDir::new().unwrap();
        let all = files(&folder);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |file: &PathBuf, _: &Arc<Lease>| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(number(file) * 5 % 7));
            running.fetch_sub(1, Ordering::SeqCst);
            Some(number(file))
        };
        let found: Vec<Option<u64>> =
            jobs(3).in_order(&all, (work, || false), |all| all.map(|(_, found)| found).collect());
        assert_eq!(found, (0..40).map(Some).collect::<Vec<_>>());
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn what_gives_nothing_is_called_again_when_it_is_due() {
        let folder = TempDir::new().unwrap();
        let all = files(&folder);
        let calls = AtomicUsize::new(0);
        let work = |_: &PathBuf, _: &Arc<Lease>| {
            (calls.fetch_add(1, Ordering::SeqCst) % 2 == 1).then_some(())
        };
        let is_whole = |all: &mut dyn Iterator<Item = (&PathBuf, Option<()>)>| {
            all.filter(|(_, outcome)| outcome.is_some()).count() == 40
        };
        assert!(jobs(1).in_order(&all, (work, || false), is_whole));
        assert_eq!(calls.into_inner(), 80);
    }

    #[test]
    fn a_panic_takes_no_slot_and_no_other_file_along() {
        let folder = TempDir::new().unwrap();
        let all = files(&folder);
        let calls = AtomicUsize::new(0);
        let work = |_: &PathBuf, _: &Arc<Lease>| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            assert!(call != 3);
            Some(())
        };
        let lost = jobs(1)
            .in_order(&all, (work, || false), |all| all.filter(|(_, done)| done.is_none()).count());
        assert_eq!(lost, 1);
    }

    #[test]
    fn what_is_over_begins_nothing_and_whoever_wants_no_more_waits_for_nobody() {
        let folder = TempDir::new().unwrap();
        let all = files(&folder);
        let work = |_: &PathBuf, _: &Arc<Lease>| Some(());
        assert_eq!(jobs(2).in_order(&all, (work, || true), |all| all.count()), 0);
        assert!(jobs(2).in_order(&all, (work, || false), |all| all.next().is_some()));
    }
}
