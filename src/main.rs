//! Arguments in, report out: the only place that prints.

fn main() {
    let args: Vec<std::path::PathBuf> = std::env::args().skip(1).map(Into::into).collect();
    let config = tcplimit::Config::default();
    match tcplimit::analyze(&args, &config) {
        Ok(report) => println!("{}", serde_json::to_string(&report).unwrap()),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(3)
        }
    }
}
