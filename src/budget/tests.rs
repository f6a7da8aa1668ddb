#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::sync::atomic::AtomicU64;
use std::thread;

use super::*;

const OCTETS: u64 = 1000;

fn budget(jobs: usize) -> Arc<Budget> {
    Budget::new(OCTETS, NonZero::new(jobs).unwrap(), Arc::default())
}

/// What an analysis of `rank` holds in the end, in steps of 10: some fit in together, some hardly alone,
/// and one takes more than there is.
fn size(rank: usize) -> u64 {
    [90, 400, 20, 1500, 700, 10, 300, 300, 850][rank % 9]
}

/// All that is really held, and the most there ever was while only what fits was wanted.
#[derive(Default)]
struct Heap {
    now: AtomicU64,
    most: AtomicU64,
}

impl Heap {
    fn change(&self, from: u64, to: u64) {
        let now = self.now.fetch_add(to.wrapping_sub(from), Ordering::SeqCst);
        self.most.fetch_max(now.wrapping_add(to.wrapping_sub(from)), Ordering::SeqCst);
    }
}

/// `false` if it was recalled.
fn grow(lease: &Lease, heap: &Heap, size: u64) -> bool {
    for held in (10..=size).step_by(10) {
        if !lease.cover(held) {
            heap.change(held - 10, 0);
            return false;
        }
        heap.change(held - 10, held);
        if held % 50 == 0 {
            thread::yield_now();
        }
    }
    lease.wait_until_due() || {
        heap.change(size, 0);
        false
    }
}

/// Runs `count` analyses, a thread each, and takes their outcomes in order. Gives how often each ran,
/// and the most that was held.
fn run(jobs: usize, count: usize) -> (Vec<u64>, u64) {
    let (budget, heap) = (budget(jobs), Heap::default());
    let begun: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::default()).collect();
    let lead = |rank: usize| {
        let mut must_be_due = false;
        loop {
            let lease = budget.lease(rank, must_be_due).unwrap();
            begun[rank].fetch_add(1, Ordering::SeqCst);
            if grow(&lease, &heap, size(rank)) {
                return lease;
            }
            must_be_due = true;
        }
    };
    thread::scope(|scope| {
        let lead = &lead;
        let threads: Vec<_> = (0..count).map(|rank| scope.spawn(move || lead(rank))).collect();
        for (rank, thread) in threads.into_iter().enumerate() {
            budget.advance(rank);
            let lease = thread.join().unwrap();
            heap.change(size(rank), 0);
            drop(lease);
        }
    });
    (begun.into_iter().map(AtomicU64::into_inner).collect(), heap.most.into_inner())
}

#[test]
fn all_together_keep_to_the_bound_and_none_runs_more_than_twice() {
    for jobs in [1, 2, 4, 16] {
        let (begun, most) = run(jobs, 36);
        assert!(begun.iter().all(|times| (1..=2).contains(times)), "{jobs} jobs: {begun:?}");
        // The one that takes more than there is has the bound for itself.
        assert!(most <= 1500, "{jobs} jobs: {most}");
    }
}

#[test]
fn the_last_is_recalled_for_the_one_that_is_due() {
    let budget = budget(2);
    let due = budget.lease(0, false).unwrap();
    let first_behind = budget.lease(1, false).unwrap();
    assert!(first_behind.cover(500) && due.cover(100));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| due.cover(600));
        while !budget.lock().held[&1].is_recalled {
            thread::yield_now();
        }
        assert!(!waiting.is_finished() && !first_behind.cover(500));
        assert!(!first_behind.wait_until_due());
        drop(first_behind);
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn a_finished_outcome_that_waits_is_recalled_as_well() {
    let budget = budget(2);
    let due = budget.lease(0, false).unwrap();
    let done = budget.lease(1, false).unwrap();
    assert!(done.cover(400));
    thread::scope(|scope| {
        let done = scope.spawn(|| {
            let done = done;
            done.wait_until_due()
        });
        assert!(due.cover(700));
        assert!(!done.join().unwrap());
    });
}

#[test]
fn what_cannot_begin_again_waits_until_it_is_due() {
    let budget = budget(4);
    thread::scope(|scope| {
        let pipe = scope.spawn(|| budget.lease(1, true).is_some());
        assert!(budget.lease(2, false).is_some());
        assert!(!pipe.is_finished());
        budget.advance(1);
        assert!(pipe.join().unwrap());
    });
}

#[test]
fn who_stops_or_wants_no_more_waits_for_nothing() {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::new(OCTETS, NonZero::<usize>::MIN, Arc::clone(&stop));
    let due = budget.lease(0, false).unwrap();
    assert!(due.cover(800));
    stop.store(true, Ordering::Relaxed);
    let other = budget.lease(7, false).unwrap();
    assert!(other.cover(5000));
    budget.close();
    assert!(!due.cover(800) && !other.wait_until_due());
    assert!(budget.lease(8, false).is_none());
}
