//! What is handed on as soon as it is over, and what its late segments do.

use super::*;

/// A connection that carried 10 and 20 octets, closed by both sides, and what its end tells.
fn exchange(port: u16) -> impl Iterator<Item = Segment> {
    let rest = [
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply().len(20),
        segment(111, 921, ACK | FIN),
        segment(921, 112, ACK | FIN).reply(),
        segment(112, 922, ACK),
    ];
    handshake().into_iter().chain(rest).map(move |it| it.port(port))
}

fn reset(port: u16) -> impl Iterator<Item = Segment> {
    let open = exchange(port).take(5);
    open.chain([segment(111, 921, RST).port(port)])
}

struct Bench {
    table: FlowTable<Log>,
    ended: Vec<Connection<Log>>,
    frame: u64,
}

impl Bench {
    fn new(bounds: TableBounds) -> Self {
        Self { table: FlowTable::new(bounds, ()), ended: Vec::new(), frame: 0 }
    }

    fn run(&mut self, segments: impl IntoIterator<Item = Segment>) -> &mut Self {
        for mut segment in segments {
            self.frame += 1;
            segment.frame = FrameNumber::new(self.frame);
            self.table.on_segment(&segment, &mut |connection| self.ended.push(connection));
        }
        self
    }

    /// There is no use for flows of less; how many connections were handed on.
    fn wind_up(&mut self, floor: u64, is_changed: bool) -> usize {
        let before = self.ended.len();
        let has_use = |octets, _| octets >= floor;
        self.table.wind_up(is_changed, &has_use, &mut |connection| self.ended.push(connection));
        self.ended.len() - before
    }
}

#[test]
fn what_is_over_is_handed_on_once_and_takes_little() {
    let mut bench = Bench::new(TableBounds::default());
    bench.run(exchange(1)).run(exchange(2).take(7)).run(reset(3));
    let before = bench.table.memory();
    assert_eq!(bench.wind_up(21, true), 1, "one is open, one was reset by somebody");
    let flows = &bench.ended[0].flows;
    assert_eq!((flows[0].payload_bytes, flows[1].payload_bytes), (10, 20));
    let freed = before.0 - bench.table.memory().0;
    assert!(freed > 2 * 64, "its consumers at least: {freed}");
    assert_eq!(bench.wind_up(u64::MAX, true), 0);
    let Bench { table, mut ended, .. } = bench;
    let counts = table.finish(&mut |connection| ended.push(connection));
    assert_eq!((ended.len(), counts.connections), (3, 3));
}

#[test]
fn late_segments_are_still_its_own() {
    let mut bench = Bench::new(TableBounds::default());
    bench.run(exchange(1)).wind_up(21, true);
    let late = [
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply().len(20),
        segment(100, 0, SYN),
        segment(900, 0, SYN).reply(),
        segment(900, 101, SYN | ACK).reply(),
        segment(112, 0, RST),
    ];
    bench.run(late.map(|it| it.port(1)));
    assert_eq!((bench.table.connections(), bench.ended.len()), (1, 1));
    bench.run([segment(5000, 0, SYN).port(1)]);
    assert_eq!((bench.table.connections(), bench.ended.len()), (2, 1));
    bench.run(exchange(2)).wind_up(21, false);
    bench.run([segment(5000, 0, SYN).reply().port(2)]);
    assert_eq!((bench.table.connections(), bench.ended.len()), (4, 2), "of either side");
}

#[test]
fn what_a_reset_closed_is_handed_on_once_it_has_settled() {
    let tick = |ms| segment(1, 1, ACK).port(9).at_ms(ms);
    let mut bench = Bench::new(TableBounds::default());
    bench.run(reset(1)).run([tick(900)]);
    assert_eq!(bench.wind_up(21, true), 0, "something may be on its way");
    bench.run([tick(1000)]);
    assert_eq!(bench.wind_up(20, false), 0, "there is use for it");
    assert_eq!(bench.wind_up(21, true), 1);
    let late = [segment(921, 111, ACK).len(10).reply(), segment(111, 0, RST)];
    bench.run(late.map(|it| it.port(1).at_ms(1100)));
    assert_eq!(bench.table.connections(), 2, "its other end did not know yet");
    bench.run([segment(111, 921, ACK).len(10).port(1).at_ms(1200)]);
    assert_eq!(bench.table.connections(), 3, "its sender knows of no RST");
}

#[test]
fn what_was_refused_is_handed_on_too() {
    let refuse = [segment(100, 0, SYN), segment(0, 101, RST | ACK).reply()];
    let mut bench = Bench::new(TableBounds::default());
    bench.run(refuse.map(|it| it.port(1))).run([segment(1, 1, ACK).port(9).at_ms(2000)]);
    assert_eq!(bench.wind_up(21, true), 1);
    bench.run([segment(100, 0, SYN).port(1).at_ms(2100)]);
    assert_eq!(bench.table.connections(), 2, "it is late");
    bench.run([segment(300, 0, SYN).reply().port(1).at_ms(2100)]);
    assert_eq!(bench.table.connections(), 3, "from the other side");
}

#[test]
fn a_reset_beyond_what_was_sent_closes_nothing_for_good() {
    let mut bench = Bench::new(TableBounds::default());
    bench.run(exchange(1).take(5)).run([segment(5000, 0, RST).port(1)]);
    bench.run([segment(1, 1, ACK).port(9).at_ms(2000)]);
    assert_eq!(bench.wind_up(21, true), 0);
}

#[test]
fn it_is_forgotten_when_none_was_handed_on_early_too() {
    let tick = |ms| segment(1, 1, ACK).port(9).at_ms(ms);
    let late = |ms| segment(101, 901, ACK).len(10).port(1).at_ms(ms);
    let mut bench = Bench::new(TableBounds::default());
    bench.run(exchange(1)).wind_up(21, true);
    bench.run([late(239_000), tick(240_500), late(240_600)]);
    assert_eq!(bench.table.connections(), 2, "late segments keep it");
    bench.run([tick(481_000), late(481_000)]);
    assert_eq!((bench.table.connections(), bench.ended.len()), (3, 1));
}

#[test]
fn what_there_is_use_for_is_asked_about_again_when_that_changed() {
    let mut bench = Bench::new(TableBounds::default());
    bench.run(exchange(1));
    assert_eq!(bench.wind_up(20, true), 0, "one of its flows has as much");
    assert_eq!(bench.wind_up(21, false), 0);
    assert_eq!(bench.wind_up(21, true), 1);
}

/// It was given up at no time: it has its report.
#[test]
fn it_is_forgotten_first_when_the_table_is_full() {
    let bounds = TableBounds { connections_max: 16, ..TableBounds::default() };
    let mut bench = Bench::new(bounds);
    bench.run((1..13).flat_map(exchange)).wind_up(21, true);
    bench.run((101..108).flat_map(|port| exchange(port).take(5)));
    assert_eq!((bench.ended.len(), bench.table.time_wait.len()), (12, 9));
    assert_eq!(bench.table.counts().evicted_closed, 0);
}

/// Only what is there now is remembered, however many closed before.
#[test]
fn places_that_were_used_again_are_forgotten() {
    let mut bench = Bench::new(TableBounds::default());
    for round in 0..50_u64 {
        let later = move |it: Segment| it.at_ms(round * 300_000);
        for port in 1..9 {
            bench.run(exchange(port).map(later));
        }
        assert_eq!(bench.wind_up(1, false), 0);
        assert!(bench.table.closed.len() <= 2 * 8 + 8, "{}", bench.table.closed.len());
    }
}
