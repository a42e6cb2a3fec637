//! The entry of auto, and its page.

use crate::learner::about::{About, Compared};
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe};
use crate::learner::auto::parameters::AutoParams;
use crate::learner::auto::{Auto, bank, cost};
use crate::learner::entry::learner;
use crate::params::typed::Parameters;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// r_k = 2 (p - y) (p - f_k) for members that are awake;   R_k = sum r_k,  V_k = sum r_k^2,  D_k = V_k + max_j V_j / 1000
    /// w_k ~ max(R_k, 0) / D_k;   p = sum of w_k f_k, with weights of sum 1
    /// R_k <= sqrt(D_k S),   S = sum over rounds and members awake of r_k^2 / D_k, with D_k of before the round
    /// ```
    ///
    /// The f_k are forecasts of a bank of members, clipped to the range of the targets so far and a tenth of it on either side (to the
    /// range itself from row 8 on, as long as the targets have had two values: between two classes there is nothing else):
    ///
    /// | members | what they see | parameters |
    /// | --- | --- | --- |
    /// | running mean, last target | targets | |
    /// | linear ridge regression | four views | lambda .1 with all rows or the last 300, lambda .3 with the last 50 |
    /// | a link (tanh of slopes 1, 3, 9) over linear ridge regression | the columns | lambda .1 with all rows, 1,000 or 300 |
    /// | ridge regression over at most 250 landmarks of a Gaussian kernel | the columns | bandwidth .5, 1, 2, 4 times the median distance; lambda .003 to .3; two forget what is older than 500 rows |
    /// | the same | the columns and past targets | bandwidth 1, 2 |
    /// | the same | the two views with categories | bandwidth .7, 1.4 |
    /// | mean of the 5 and the 15 nearest of the last 1,000 rows | the columns | |
    /// | the mean of all of these by the weights above, and what its last errors and a link add to it | | |
    ///
    /// The table in the source is `crates/core/src/learner/auto/bank.rs`. The four views of a row are its columns, and these with past
    /// targets (the last one, and exponential means with memories 8 and 64), each with or without categories: columns of words, and
    /// columns with 3 to 32 different whole numbers, become indicators of each value seen. Of a column of dates `noregret stream` makes
    /// circles of the year, the week and the day, days since the first date, and weekday and hour, which are such columns.
    ///
    /// **Scales look at nothing ahead.** They are those of the rows before an *epoch*, and stay as they are inside it. Epochs begin
    /// after rows 2, 3, 4, 5, 7, 9, ..., each a quarter longer than the one before until row 600, then twice as long. At the start of
    /// an epoch all members are made anew from all rows so far. The first row is predicted 0.
    ///
    /// **Weights as they change.** `stream --weights` writes them, and traces keep them, by families of members: averages (the mean, the
    /// last target, neighbours), linear members and kernels in each of the four views, and the second look: ten numbers that sum to 1 from the
    /// second row on. `figure/streams-weights` shows them on bikeshare: kernels of hours and past targets at first, then the second look.
    ///
    /// **What is guaranteed.** The squared loss of `auto` over the rounds in which a member was awake is at most that of the member
    /// (with clipped forecasts) plus sqrt(D_k S): for every sequence of rows. Both numbers come from the run, and are printed at its end.
    /// The bound says nothing about errors of labels, and nothing at all where it is larger than the loss itself, which is then said.
    ///
    /// ## Cost
    ///
    /// Each of the 25 kernel members (12 with `members = plain`, 15 where there are no categories) is a ridge regression over
    /// r = 250 + d + 1 features: about 5 r^2 operations per row. Those with the same features that forget nothing share the sum of
    /// their products; groups with different features play side by side where threads are idle, with the same bits on any number of them.
    /// Memory: at most 24 r^2 bytes for each of these, and the newest 32,768 to 65,536 rows.
    /// `noregret stream` over a million rows of 10 columns holds at most 135 MiB, and takes 108 us of processor time a row.
    ///
    /// `cargo bench --bench learners -- auto`, d = 10, on two cores that other work kept busy (matrix products at 52 Gflop/s), in
    /// microseconds of processor time a row, all epochs from the first row on included. The floor is a product of a symmetric matrix with
    /// a vector and a rank-one update for each kernel member, timed in the same process:
    ///
    /// | | 6,000 rows in blocks | of these, by the busier of two threads | 2,000 rows one by one | floor |
    /// | --- | ---: | ---: | ---: | ---: |
    /// | `members = plain`, 12 kernels | 146 | 69 | 394 | 233 |
    /// | all, 15 kernels without categories | 194 | 93 | 599 | 268 |
    ///
    /// The aims were 60 in blocks, which is missed, and three times the floor. Rows in blocks take less than the floor, because windows of
    /// rows are worked on as matrix products. From 32,768 rows on, where no epochs begin, a row takes about 110.
    ///
    /// Of rows with more than about 250 columns fewer are kept, 64 MiB of them. Views of more than 256 numbers have no columns beside
    /// landmarks, and those of more than 1,000 no linear members.
    /// Beyond 32,768 rows no epoch begins, unless inputs leave their scales; then an epoch begins from the newest 32,768 rows, and what
    /// was before them is forgotten.
    ///
    /// ## When to use it
    ///
    /// First. There is nothing to set, nothing to scale and nothing to look at before. Where one learner that you know fits your
    /// stream, it is many times faster.
    ///
    /// ## What was measured
    ///
    /// `noregret run figure/streams table/streams figure/streams-weights` plays ten public streams, which a mirror has in its folder
    /// `streams` (data/README.md), and sets the losses beside those of eleven settings of River 0.26.1, for classes nine
    /// (`peers/streams.py` plays them, `peers/streams.csv` has them all). The mean squared error, or the share of wrong labels, over all
    /// rows from the first one on; `auto` for seeds 0 to 4, which were fixed beforehand:
    ///
    /// | stream | rows | auto, mean | least to largest | River, best in hindsight | ratio |
    /// | --- | ---: | ---: | ---: | ---: | ---: |
    /// | bikeshare | 8,645 | 1,445 | 1,437 to 1,457 | 7,117 (AMF) | .203 |
    /// | diamonds | 6,000 | 662,649 | 645,862 to 672,097 | 1,554,400 (Bayesian linear) | .426 |
    /// | boston | 506 | 15.14 | 15.06 to 15.27 | 26.10 (AMF) | .580 |
    /// | phishing | 1,250 | .0903 | .0892 to .0916 | .1016 (HAT) | .889 |
    /// | banana | 5,300 | .0982 | .0978 to .0986 | .1064 (KNN 15) | .923 |
    /// | diabetes | 442 | 3,340 | 3,338 to 3,341 | 3,596 (SGD .01) | .929 |
    /// | wage | 3,000 | 1,175.3 | 1,174.7 to 1,176.0 | 1,211.2 (Bayesian linear) | .970 |
    /// | seadrift | 5,000 | .1211 | .1211 to .1211 | .1230 (logistic .01) | .985 |
    /// | sftemps | 8,735 | .2698 | .2698 to .2698 | .2708 (SGD .03) | .996 |
    /// | breastcancer | 569 | .0431 | .0431 to .0431 | .0404 (logistic .1) | 1.065 |
    ///
    /// The geometric mean of the ratios is .723. These streams chose what `auto` has beyond its first design: they do not test how it
    /// does on others. River's settings see the columns of a row alone, `auto` also past targets, which help it on bikeshare and sftemps; some of them diverge (`RBFSampler` wherever the target is a number). On breastcancer `auto`
    /// makes 24.5 errors, and River's best 23. On sftemps the first row alone, which all of them predict as 0, is .2627 of the loss. A
    /// forecast of 0, which `auto` makes in the first row, is half an error.
    ///
    /// The rule of the weights was chosen among three by the least geometric mean of the ratios, on one seed each, before forecasts
    /// of two classes were clipped to the range between them:
    ///
    /// | stream | ML-Poly | BOA | Fixed-Share |
    /// | --- | ---: | ---: | ---: |
    /// | diabetes | 3,340 | 3,369 | 3,437 |
    /// | boston | 15.05 | 15.22 | 21.63 |
    /// | wage | 1,174.9 | 1,171.0 | 1,179.3 |
    /// | diamonds | 667,590 | 673,670 | 952,488 |
    /// | bikeshare | 1,466 | 1,485 | 2,136 |
    /// | sftemps | .2698 | .2710 | .2871 |
    /// | phishing | .0904 | .0928 | .0976 |
    /// | banana | .0993 | .1002 | .0976 |
    /// | breastcancer | .0439 | .0457 | .0422 |
    /// | seadrift | .1214 | .1220 | .1210 |
    pub static ENTRY = LearnerEntry {
        name: "auto",
        summary: "nothing to set: weighs a bank of linear, kernel and neighbour forecasts on causal scales, with a bound on its \
                  regret to each (ML-Poly, Gaillard et al. 2014)",
        module: module_path!(),
        params: AutoParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Auto::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| cost(&Parameters::read(params), rounds, dim),
            drawn_by: &[],
            about: About { further: Some(("members", bank::described)), ..About::new(Compared::Always).random() },
        },
    };
}
