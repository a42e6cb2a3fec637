use noregret_core::params::{Fallback, registry::Registry};
fn lines<B>(list: &Registry<B>) {
    for e in list.iter() {
        let n: Vec<&str> =
            e.params.iter().filter(|s| !matches!(s.default, Fallback::Added(_))).map(|s| s.name).collect();
        println!("{}", format!("{} {}: {}", list.kind, e.name, n.join(" ")).trim_end());
    }
}
fn main() {
    use noregret_core::*;
    lines(&learner::LEARNERS);
    lines(&stream::ADVERSARIES);
    lines(&comparator::COMPARATORS);
    lines(&kernel::KERNELS);
    lines(&feature::FAMILIES);
    lines(&loss::LOSSES);
    lines(&window::WINDOWS);
    lines(&noise::NOISES);
    lines(&stream::corruption::CORRUPTIONS);
    lines(&stream::STREAMS);
}
