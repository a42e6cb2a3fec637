//! What `noregret compare` tries of a learner, in words.

use noregret_core::learner::LEARNERS;
use noregret_core::learner::about::Compared;
use noregret_core::learner::api::LearnerEntry;

/// What `compare` tries of a registered learner, a line for each parameter, or why it leaves it out.
pub fn described(learner: &LearnerEntry) -> String {
    let mut text = "  in `noregret compare`\n".to_owned();
    match learner.build.about.compared {
        Compared::Absent(why) => text += &format!("    left out: {why}\n"),
        Compared::Baseline => text += "    a baseline, always played\n",
        Compared::Always => text += "    always played; it has nothing to set\n",
        Compared::Grid(axes) => axes.iter().for_each(|(name, values)| text += &format!("    {name}: {values}\n")),
    }
    text
}

/// The learners that can take part, in the order of the registry.
pub(crate) fn learners() -> impl Iterator<Item = &'static LearnerEntry> {
    LEARNERS.iter().copied().filter(|entry| !matches!(entry.build.about.compared, Compared::Absent(_)))
}
