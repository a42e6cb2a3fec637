//! Damage to files, and what a user may do before finding it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::attempt::Try;
use crate::project::files;

/// Where a file may be damaged: what the program has stored, published and noted.
const PLACES: [&str; 10] = [
    "results/store/objects",
    "results/store/packs",
    "results/store/records",
    "results/store/manifests",
    "results/store/stamps",
    "results/log",
    "results/runs",
    "results/traces",
    "reports",
    "data/raw",
];

/// Changes a file's bytes, and its modification time only if `openly`.
fn damage(path: &Path, openly: bool, change: impl FnOnce(&mut Vec<u8>)) {
    let meta = fs::metadata(path).unwrap();
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(path, bytes).unwrap();
    if !openly {
        fs::File::open(path).unwrap().set_modified(meta.modified().unwrap()).unwrap();
    }
    fs::set_permissions(path, meta.permissions()).unwrap();
}

/// The numbers of a table; `None` for what is none.
fn values(bytes: &[u8]) -> Vec<Option<f64>> {
    let text = String::from_utf8_lossy(bytes);
    let rows = text.lines().skip(1).filter(|row| !row.trim().is_empty());
    rows.flat_map(|row| row.split(',').map(|field| field.trim().parse().ok())).collect()
}

/// Damages up to `most` files, with their times kept unless `openly`.
pub fn some_files(this: &mut Try, most: u64, openly: bool, change: impl Fn(&mut Try, &mut Vec<u8>)) {
    for _ in 0..=this.below(most) {
        let place = this.project().join(this.pick(&PLACES));
        let found = files(&place);
        if found.is_empty() {
            continue;
        }
        let path = place.join(this.pick(&found));
        damage(&path, openly, |bytes| {
            let before = values(bytes);
            change(this, bytes);
            // Another header or more blanks make no other data: such a file stays, and would not be that of the reference.
            if path.ends_with("net.csv") && values(bytes) == before {
                bytes.fill(b'x');
            }
        });
    }
}

/// What happens before the damage is looked for, and then `verify`, which makes runs look at what it finds. A run may fail
/// only because what it reads is damaged.
pub fn aftermath(this: &mut Try) {
    for _ in 0..this.below(4) {
        match this.below(8) {
            0 => this.run(&["run"]).with(&[0, 1]),
            1 => this.run(&["run", "-f", "figure/loss"]).with(&[0, 1]),
            2 => this.run(&["run", "-f", "summarise/*"]).with(&[0, 1]),
            3 => this.run(&["run", "-f", "prepare/*"]).with(&[0, 1]),
            4 => this.run(&["gc"]).with(&[0]),
            5 => this.run(&["status", "--why"]).with(&[0]),
            6 => this.run(&["report"]).with(&[0, 1]),
            _ => {
                let made = ["results/runs/own.parquet", "reports/figures/loss.svg", "results/traces/net.parquet"];
                let path = this.project().join(this.pick(&made));
                let _ = fs::remove_file(path);
                this.run(&["run"]).with(&[0, 1])
            }
        };
    }
    this.run(&["verify"]).with(&[0, 1]);
}
