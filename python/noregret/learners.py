"""The learners, one class each; written by generate.py from the declarations of their parameters."""

from noregret._base import OnlineClassifier, OnlineRegressor

__all__ = [
    "Auto",
    "KernelRidge",
    "KernelRidgeLowRank",
    "KernelAwv",
    "PkrrTaylor",
    "PkawvTaylor",
    "PkrrFourier",
    "PkawvFourier",
    "PkrrNystrom",
    "PkawvNystrom",
    "Kons",
    "SketchedKons",
    "ProsNKons",
    "Fogd",
    "Nogd",
    "KernelOgd",
    "ShrinkingGradient",
    "ExpertMixture",
    "Aggregate",
    "Intervals",
    "LinearOgd",
    "AioliTaylorClassifier",
    "AioliFourierClassifier",
    "CoinKernel",
    "CoinKernelClassifier",
    "CoinTaylor",
    "CoinTaylorClassifier",
    "DiscountedAwvTaylor",
    "DiscountedRidgeTaylor",
    "DiscountedAwvFourier",
    "DiscountedRidgeFourier",
    "WindowAwvTaylor",
    "TrackingAwvTaylor",
    "DiscountMixture",
    "RobustOgd",
    "RobustBatch",
    "Constant",
    "RunningMean",
    "LastValue",
    "Majority",
    "Neighbours",
]


class Auto(OnlineRegressor):
    """Nothing to set: weighs a bank of linear, kernel and neighbour forecasts on causal scales, with a bound
    on its regret to each (ML-Poly, Gaillard et al. 2014).

    Parameters
    ----------
    members : str, default 'all'
        Which members take part: all; those without past targets and categories (plain); those without kernels
        and neighbours (linear) ("all" or "plain" or "linear").
    words : dict[str, Any] | str, default 'none'
        The columns, counted from 1, that hold numbers of words, as [[1, 3]]: they are categories and no
        quantities ({ matrix = [[..], ..] } with equally long rows of numbers, or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "auto"

    def __init__(
        self,
        *,
        members='all',
        words='none',
        horizon=None,
        random_state=0,
    ):
        self.members = members
        self.words = words
        self.horizon = horizon
        self.random_state = random_state


class KernelRidge(OnlineRegressor):
    """Exact online kernel ridge regression: f_t minimises sum (y - f)^2 + lambda |f|^2 over the past.

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "kernel-ridge"

    def __init__(
        self,
        *,
        lam=1.0,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class KernelRidgeLowRank(OnlineRegressor):
    """Online kernel ridge regression to a tolerance, through an incomplete Cholesky factor over inputs known
    beforehand (Fine, Scheinberg, JMLR 2001; Engel, Mannor, Meir, IEEE TSP 2004).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    tolerance : float, default 1e-08
        Largest error of a kernel value between two of the inputs, relative to the largest k(x, x); below
        1e-12 it could not be distinguished from rounding errors (a number in [0.000000000001, 1)).
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "kernel-ridge-low-rank"
    _foresees = True

    def __init__(
        self,
        *,
        lam=1.0,
        kernel='gaussian',
        kernel_params=None,
        tolerance=1e-08,
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.tolerance = tolerance
        self.horizon = horizon
        self.random_state = random_state


class KernelAwv(OnlineRegressor):
    """Exact kernel Azoury-Warmuth-Vovk forecaster: ridge regression with f(x_t)^2 added (Gammerman,
    Kalnishkan, Vovk 2004).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "kernel-awv"

    def __init__(
        self,
        *,
        lam=1.0,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkrrTaylor(OnlineRegressor):
    """Ridge regression over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS
    2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkrr-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkawvTaylor(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel (Jezequel, Gaillard,
    Rudi, NeurIPS 2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkawv-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkrrFourier(OnlineRegressor):
    """Ridge regression over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007;
    Jezequel, Gaillard, Rudi, NeurIPS 2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 100
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 11585).
    kind : str, default 'iid'
        Iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
        ("iid" or "orthogonal").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkrr-fourier"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        features=100,
        kind='iid',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkawvFourier(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS
    2007; Jezequel, Gaillard, Rudi, NeurIPS 2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 100
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 11585).
    kind : str, default 'iid'
        Iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
        ("iid" or "orthogonal").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkawv-fourier"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        features=100,
        kind='iid',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkrrNystrom(OnlineRegressor):
    """Ridge regression over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS
    2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    mu : float, default 1.0
        Regularisation of the leverage scores by which points enter the dictionary (a number in (0, inf)).
    beta : float, default 1.0
        Factor from leverage scores to probabilities (the theory asks for 12 log(n / delta)) (a number in (0,
        inf)).
    epsilon : float, default 0.5
        Accuracy of the leverage scores, which are overestimated by the factor 1 + epsilon (a number in (0,
        1)).
    weights : str, default 'theory'
        Weight of a point that entered with probability p: 1/sqrt(p) (theory), or 1/p as in the public code of
        Jezequel, Gaillard, Rudi 2019 (authors), which underestimates the scores ("theory" or "authors").
    sample : str, default 'after'
        Whether x_t may enter the dictionary before the prediction of its round (as in the paper) or after it
        (as in the authors' code for ridge regression) ("before" or "after").
    dictionary : str, default 'sequential'
        Whether each point is offered to the dictionary in its own round (sequential), or all inputs are
        offered before the first round (beforehand; then `sample` has no effect) ("sequential" or
        "beforehand").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkrr-nystrom"

    def __init__(
        self,
        *,
        lam=1.0,
        mu=1.0,
        beta=1.0,
        epsilon=0.5,
        weights='theory',
        sample='after',
        dictionary='sequential',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.mu = mu
        self.beta = beta
        self.epsilon = epsilon
        self.weights = weights
        self.sample = sample
        self.dictionary = dictionary
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class PkawvNystrom(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi,
    NeurIPS 2019).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    mu : float, default 1.0
        Regularisation of the leverage scores by which points enter the dictionary (a number in (0, inf)).
    beta : float, default 1.0
        Factor from leverage scores to probabilities (the theory asks for 12 log(n / delta)) (a number in (0,
        inf)).
    epsilon : float, default 0.5
        Accuracy of the leverage scores, which are overestimated by the factor 1 + epsilon (a number in (0,
        1)).
    weights : str, default 'theory'
        Weight of a point that entered with probability p: 1/sqrt(p) (theory), or 1/p as in the public code of
        Jezequel, Gaillard, Rudi 2019 (authors), which underestimates the scores ("theory" or "authors").
    sample : str, default 'before'
        Whether x_t may enter the dictionary before the prediction of its round (as in the paper) or after it
        (as in the authors' code for ridge regression) ("before" or "after").
    dictionary : str, default 'sequential'
        Whether each point is offered to the dictionary in its own round (sequential), or all inputs are
        offered before the first round (beforehand; then `sample` has no effect) ("sequential" or
        "beforehand").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pkawv-nystrom"

    def __init__(
        self,
        *,
        lam=1.0,
        mu=1.0,
        beta=1.0,
        epsilon=0.5,
        weights='theory',
        sample='before',
        dictionary='sequential',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.mu = mu
        self.beta = beta
        self.epsilon = epsilon
        self.weights = weights
        self.sample = sample
        self.dictionary = dictionary
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Kons(OnlineRegressor):
    """Kernel online Newton steps over all rounds (Calandriello, Lazaric, Valko, ICML 2017).

    Parameters
    ----------
    alpha : float, default 1.0
        Weight of the squared norm: the matrix of the Newton steps starts as alpha times the identity (a
        number in (0, inf)).
    clip : float, default 1.0
        Bound C on targets and predictions: predictions are projected onto [-C, C] (a number in (0, inf)).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "kons"

    def __init__(
        self,
        *,
        alpha=1.0,
        clip=1.0,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.alpha = alpha
        self.clip = clip
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class SketchedKons(OnlineRegressor):
    """Kernel online Newton steps over a random subset of the rounds (Calandriello, Lazaric, Valko, ICML
    2017).

    Parameters
    ----------
    alpha : float, default 1.0
        Weight of the squared norm: the matrix of the Newton steps starts as alpha times the identity (a
        number in (0, inf)).
    clip : float, default 1.0
        Bound C on targets and predictions: predictions are projected onto [-C, C] (a number in (0, inf)).
    mu : float, default 1.0
        Regularisation of the leverage scores by which points enter the dictionary (a number in (0, inf)).
    beta : float, default 1.0
        Factor from leverage scores to probabilities (the theory asks for 12 log(n / delta)) (a number in (0,
        inf)).
    epsilon : float, default 0.5
        Accuracy of the leverage scores, which are overestimated by the factor 1 + epsilon (a number in (0,
        1)).
    gamma : float, default 0.1
        Smallest probability with which a round is kept (a number in [0, 1]).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "sketched-kons"

    def __init__(
        self,
        *,
        alpha=1.0,
        clip=1.0,
        mu=1.0,
        beta=1.0,
        epsilon=0.5,
        gamma=0.1,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.alpha = alpha
        self.clip = clip
        self.mu = mu
        self.beta = beta
        self.epsilon = epsilon
        self.gamma = gamma
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class ProsNKons(OnlineRegressor):
    """Online Newton steps over a KORS dictionary with restarts (Calandriello, Lazaric, Valko, NIPS 2017).

    Parameters
    ----------
    alpha : float, default 1.0
        Weight of the squared norm: the matrix of the Newton steps starts as alpha times the identity (a
        number in (0, inf)).
    clip : float, default 1.0
        Bound C on targets and predictions: predictions are projected onto [-C, C] (a number in (0, inf)).
    mu : float, default 1.0
        Regularisation of the leverage scores by which points enter the dictionary (a number in (0, inf)).
    beta : float, default 1.0
        Factor from leverage scores to probabilities (the theory asks for 12 log(n / delta)) (a number in (0,
        inf)).
    epsilon : float, default 0.5
        Accuracy of the leverage scores, which are overestimated by the factor 1 + epsilon (a number in (0,
        1)).
    weights : str, default 'theory'
        Weight of a point that entered with probability p: 1/sqrt(p) (theory), or 1/p as in the public code of
        Jezequel, Gaillard, Rudi 2019 (authors), which underestimates the scores ("theory" or "authors").
    variant : str, default 'paper'
        The algorithm of the paper, or the code that Jezequel, Gaillard, Rudi 2019 compare with ("paper" or
        "authors").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "pros-n-kons"

    def __init__(
        self,
        *,
        alpha=1.0,
        clip=1.0,
        mu=1.0,
        beta=1.0,
        epsilon=0.5,
        weights='theory',
        variant='paper',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.alpha = alpha
        self.clip = clip
        self.mu = mu
        self.beta = beta
        self.epsilon = epsilon
        self.weights = weights
        self.variant = variant
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Fogd(OnlineRegressor):
    """Online gradient descent over random Fourier features of the Gaussian kernel (Lu, Hoi et al., JMLR
    2016).

    Parameters
    ----------
    eta : float | str, default '1/sqrt(n)'
        Step size of gradient descent; 1/sqrt(n) for the horizon n (a number in (0, inf), or "1/sqrt(n)").
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 1000
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 1000000).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "fogd"

    def __init__(
        self,
        *,
        eta='1/sqrt(n)',
        bandwidth=1.0,
        features=1000,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.eta = eta
        self.bandwidth = bandwidth
        self.features = features
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Nogd(OnlineRegressor):
    """Online gradient descent over Nystrom features of the first points (Lu, Hoi et al., JMLR 2016).

    Parameters
    ----------
    eta : float | str, default '1/sqrt(n)'
        Step size of gradient descent; 1/sqrt(n) for the horizon n (a number in (0, inf), or "1/sqrt(n)").
    eta_linear : float | str, default 'eta'
        Step size after the budget is full (a number in (0, inf), or "eta").
    budget : int, default 100
        Number of points kept: those of the first rounds (an integer from 1 to 10000).
    rank : int, default 50
        Number of eigenvectors of these points' kernel matrix that span the features, at most the budget (an
        integer from 1 to 10000).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "nogd"

    def __init__(
        self,
        *,
        eta='1/sqrt(n)',
        eta_linear='eta',
        budget=100,
        rank=50,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.eta = eta
        self.eta_linear = eta_linear
        self.budget = budget
        self.rank = rank
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class KernelOgd(OnlineRegressor):
    """Online gradient descent on the square loss in the kernel's space (Kivinen, Smola, Williamson 2004).

    Parameters
    ----------
    eta : float | str, default '1/sqrt(n)'
        Step size of gradient descent; 1/sqrt(n) for the horizon n (a number in (0, inf), or "1/sqrt(n)").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "kernel-ogd"

    def __init__(
        self,
        *,
        eta='1/sqrt(n)',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.eta = eta
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class ShrinkingGradient(OnlineRegressor):
    """Gradient descent over an infinite layer from sampled neurons, with shrinks (Globerson, Livni 2016, Alg.
    1).

    Parameters
    ----------
    norm_bound : float, default 1.0
        B: norm of the functions that regret is measured against; the coefficients shrink if |E_t| >= 16 B (a
        number in (0, inf)).
    eta : float | str, default 'theory'
        Step size for the loss (f(x) - y)^2 / 2; theory: B / sqrt(T) (a number in (0, inf), or "theory").
    draws : float | str, default 'adaptive'
        M: neurons drawn per round (rounded up); theory: as many as the proof of Theorem 1 needs at the
        present |alpha|_1; adaptive: as many as `variance` needs; exact: none, with exact kernel values
        instead (a number in (0, inf), or "theory" or "adaptive" or "exact").
    variance : float, default 0.2
        Largest variance of an estimate, for draws = adaptive: m = max(8, |alpha|_1^2 / variance) (a number in
        (0, inf)).
    precision : float | str, default 'as-learning'
        Largest error of a prediction that must be estimated (no closed form, no discrete mu), and of
        estimates of the averaged iterate; as-learning: with as many draws as a step takes (a number in (0,
        inf), or "as-learning").
    failure : float, default 0.05
        Probability of an error larger than `precision` (a number in (0, 1)).
    feature : str, default 'cosine'
        The neurons psi(x; w) and their law mu.
    feature_params : dict[str, Any] | None, default None
        Parameters of `feature`, by name.
    evaluation_neurons : int, default 0
        D: for a family with neither a closed form nor a discrete mu, predictions are means over D neurons
        that are drawn once and that no step uses (mean square error at most |f|^2 / D); 0: separate estimates
        (an integer from 0 to 1000000).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "shrinking-gradient"

    def __init__(
        self,
        *,
        norm_bound=1.0,
        eta='theory',
        draws='adaptive',
        variance=0.2,
        precision='as-learning',
        failure=0.05,
        feature='cosine',
        feature_params=None,
        evaluation_neurons=0,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.norm_bound = norm_bound
        self.eta = eta
        self.draws = draws
        self.variance = variance
        self.precision = precision
        self.failure = failure
        self.feature = feature
        self.feature_params = feature_params
        self.evaluation_neurons = evaluation_neurons
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class ExpertMixture(OnlineRegressor):
    """Exponential weights over a learner at every point of a grid of its parameters (Cesa-Bianchi and Lugosi
    2006, section 3.3).

    Parameters
    ----------
    base : str, default 'kernel-awv'
        The learner whose copies are the experts.
    base_params : dict[str, Any] | None, default None
        Parameters of `base`, by name.
    grid : dict[str, list[Any]] | None, default None
        Values of the base learner's parameters; there is one expert for every combination (a table that maps
        its parameters to lists of values). Must be given.
    bound : float | None, default None
        B, the largest absolute value of a target; experts are clipped to [-B, B] (a number in (0, inf)). Must
        be given.
    rule : str, default 'average'
        Mean of the experts with eta = 1/(8 B^2) (average), or substitution function of the aggregating
        algorithm with eta = 1/(2 B^2) (aggregating) ("average" or "aggregating").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "expert-mixture"

    def __init__(
        self,
        *,
        base='kernel-awv',
        base_params=None,
        grid=None,
        bound=None,
        rule='average',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.base = base
        self.base_params = base_params
        self.grid = grid
        self.bound = bound
        self.rule = rule
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Aggregate(OnlineRegressor):
    """Weighted mean of any forecasts, columns of the input or other learners, some of which may be absent:
    EWA, BOA, ML-Poly, Fixed-Share (Cesa-Bianchi and Lugosi 2006; Wintenberger 2017; Gaillard, Stoltz, van
    Erven, COLT 2014).

    Parameters
    ----------
    rule : str, default 'boa'
        How weights follow from regrets; fixed-share follows changes of the best forecast ("boa" or "ewa" or
        "ml-poly" or "fixed-share").
    loss : str, default 'square'
        The loss that regrets are made of ("square" or "absolute" or "pinball").
    tau : float, default 0.5
        Quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above (a number in (0, 1)).
    gradient : bool, default True
        Whether regrets are l'(p, y) (p - f), which competes with convex combinations, instead of l(p, y) -
        l(f, y) (true or false).
    bound : float | str, default 'none'
        B, the largest absolute target; forecasts are cut to [-B, B]. none: they are not, and no bound on the
        regret is known (a number in (0, inf), or "none").
    range : str, default 'bound'
        The largest possible regret E of a round: from B, if it is given (bound), or the largest so far
        (running), without a bound on the regret ("bound" or "running").
    eta : float | str, default 'theory'
        Rate of ewa and fixed-share; theory: 1 / (8 B^2) for the square loss itself, otherwise sqrt(8 log K /
        n) / E (a number in (0, inf), or "theory").
    alpha : float | str, default '1/n'
        Share of fixed-share that is spread over all forecasts in every round: m / n for about m changes of
        the best one (a number in [0, 1], or "1/n").
    experts : str | Sequence[str | dict[str, Any]], default 'columns'
        Who forecasts: a list of learners, or the input columns themselves (a list of learners, each a name or
        a table, or "columns").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "aggregate"
    _nan = True

    def __init__(
        self,
        *,
        rule='boa',
        loss='square',
        tau=0.5,
        gradient=True,
        bound='none',
        range='bound',
        eta='theory',
        alpha='1/n',
        experts='columns',
        horizon=None,
        random_state=0,
    ):
        self.rule = rule
        self.loss = loss
        self.tau = tau
        self.gradient = gradient
        self.bound = bound
        self.range = range
        self.eta = eta
        self.alpha = alpha
        self.experts = experts
        self.horizon = horizon
        self.random_state = random_state


class Intervals(OnlineRegressor):
    """Intervals around the predictions of any learner that contain a promised part of all targets, on every
    sequence (Gibbs, Candes, NeurIPS 2021; Podkopaev, Xu, Lee, ICML 2024).

    Parameters
    ----------
    base : str, default 'kernel-awv'
        The learner that predicts.
    base_params : dict[str, Any] | None, default None
        Parameters of `base`, by name.
    rule : str, default 'aci'
        Adaptive conformal inference, gradient descent on the radius, or betting, which has no step ("aci" or
        "tracking" or "betting").
    alpha : float, default 0.1
        The part of targets that may lie outside (a number in (0, 1)).
    bound : float | str, default 'none'
        B, the largest absolute target: intervals are cut to [-B, B]; none: it is not known (a number in (0,
        inf), or "none").
    rate : float | str, default 'rule'
        Step of the level (aci) or of the radius (tracking); rule: 0.05 (aci), 0.05 of the largest score,
        which is 2 B where B is known (tracking) (a number in (0, inf), or "rule").
    window : int, default 0
        How many of the last scores aci looks at; 0 means all (an integer from 0 to 1000000000).
    start : float, default 0.0
        The first radius of tracking, at most 2 B (a number in [0, inf)).
    epsilon : float, default 1.0
        Initial wealth of betting, in units of targets (a number in (0, inf)).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "intervals"

    def __init__(
        self,
        *,
        base='kernel-awv',
        base_params=None,
        rule='aci',
        alpha=0.1,
        bound='none',
        rate='rule',
        window=0,
        start=0.0,
        epsilon=1.0,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.base = base
        self.base_params = base_params
        self.rule = rule
        self.alpha = alpha
        self.bound = bound
        self.rate = rate
        self.window = window
        self.start = start
        self.epsilon = epsilon
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class LinearOgd(OnlineRegressor):
    """Projected online gradient descent on the square loss, linear in the inputs (Zinkevich 2003).

    Parameters
    ----------
    eta : float | str, default 'theory'
        Step size of gradient descent; theory: radius / sqrt(G n) with the theorem's bound G on the mean
        squared gradient (a number in (0, inf), or "theory" or "1/sqrt(n)").
    eta_factor : float, default 1.0
        Factor on eta, for multiples of the theorem's step (a number in (0, inf)).
    radius : float, default 1.0
        Bound on the norm of the hypothesis (W; the norm, not its square) (a number in (0, inf)).
    input_bound : float, default 1.0
        Bound on (E|x~|^2)^(1/2) of the noisy inputs (B), for eta = theory (a number in (0, inf)).
    target_bound : float, default 1.0
        Bound on (E y~^2)^(1/2) of the noisy targets (B_y), for eta = theory (a number in [0, inf)).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "linear-ogd"

    def __init__(
        self,
        *,
        eta='theory',
        eta_factor=1.0,
        radius=1.0,
        input_bound=1.0,
        target_bound=1.0,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.eta = eta
        self.eta_factor = eta_factor
        self.radius = radius
        self.input_bound = input_bound
        self.target_bound = target_bound
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class AioliTaylorClassifier(OnlineClassifier):
    """Online logistic regression over the Taylor features of the Gaussian kernel; predicts logits of labels
    -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020).

    Parameters
    ----------
    lam : float, default 0.01
        Weight of the squared norm |theta|^2, beside the log losses (a number in (0, inf)).
    bound : float, default 10.0
        C, the largest |theta' phi(x)| of the functions to compete with; their norm, as |phi| <= 1 (a number
        in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "aioli-taylor"

    def __init__(
        self,
        *,
        lam=0.01,
        bound=10.0,
        bandwidth=1.0,
        order=2,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bound = bound
        self.bandwidth = bandwidth
        self.order = order
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class AioliFourierClassifier(OnlineClassifier):
    """Online logistic regression over random Fourier features of the Gaussian kernel; predicts logits of
    labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020).

    Parameters
    ----------
    lam : float, default 0.01
        Weight of the squared norm |theta|^2, beside the log losses (a number in (0, inf)).
    bound : float, default 10.0
        C, the largest |theta' phi(x)| of the functions to compete with; their norm, as |phi| <= 1 (a number
        in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 100
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 11585).
    kind : str, default 'iid'
        Iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
        ("iid" or "orthogonal").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "aioli-fourier"

    def __init__(
        self,
        *,
        lam=0.01,
        bound=10.0,
        bandwidth=1.0,
        features=100,
        kind='iid',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bound = bound
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class CoinKernel(OnlineRegressor):
    """Coin betting in the kernel's space: gradient descent without a step size, for losses with bounded
    slopes (Orabona, Pal, NIPS 2016).

    Parameters
    ----------
    loss : str, default 'absolute'
        Convex loss with bounded slopes; hinge and logistic take labels -1 and 1 ("absolute" or "hinge" or
        "logistic" or "pinball").
    tau : float, default 0.5
        Quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above (a number in (0, 1)).
    epsilon : float, default 1.0
        Initial wealth, in units of predictions (a number in (0, inf)).
    clip : float | str, default 'none'
        Largest absolute prediction B, for absolute and pinball losses with |y| <= B; bets take the slope
        before clipping (a number in (0, inf), or "none").
    kappa : float | str, default 'kernel'
        The largest sqrt k(x, x); kernel: that of the kernel, if it has one. A larger one that is seen counts
        from then on (a number in (0, inf), or "kernel").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "coin-kernel"

    def __init__(
        self,
        *,
        loss='absolute',
        tau=0.5,
        epsilon=1.0,
        clip='none',
        kappa='kernel',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.loss = loss
        self.tau = tau
        self.epsilon = epsilon
        self.clip = clip
        self.kappa = kappa
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class CoinKernelClassifier(OnlineClassifier):
    """Coin betting in the kernel's space: gradient descent without a step size, for losses with bounded
    slopes (Orabona, Pal, NIPS 2016).

    Parameters
    ----------
    loss : str, default 'logistic'
        Convex loss with bounded slopes; hinge and logistic take labels -1 and 1 ("absolute" or "hinge" or
        "logistic" or "pinball").
    tau : float, default 0.5
        Quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above (a number in (0, 1)).
    epsilon : float, default 1.0
        Initial wealth, in units of predictions (a number in (0, inf)).
    clip : float | str, default 'none'
        Largest absolute prediction B, for absolute and pinball losses with |y| <= B; bets take the slope
        before clipping (a number in (0, inf), or "none").
    kappa : float | str, default 'kernel'
        The largest sqrt k(x, x); kernel: that of the kernel, if it has one. A larger one that is seen counts
        from then on (a number in (0, inf), or "kernel").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "coin-kernel"

    def __init__(
        self,
        *,
        loss='logistic',
        tau=0.5,
        epsilon=1.0,
        clip='none',
        kappa='kernel',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.loss = loss
        self.tau = tau
        self.epsilon = epsilon
        self.clip = clip
        self.kappa = kappa
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class CoinTaylor(OnlineRegressor):
    """Coin betting over the Taylor features of the Gaussian kernel: gradient descent without a step size, for
    losses with bounded slopes (Orabona, Pal, NIPS 2016).

    Parameters
    ----------
    loss : str, default 'absolute'
        Convex loss with bounded slopes; hinge and logistic take labels -1 and 1 ("absolute" or "hinge" or
        "logistic" or "pinball").
    tau : float, default 0.5
        Quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above (a number in (0, 1)).
    epsilon : float, default 1.0
        Initial wealth, in units of predictions (a number in (0, inf)).
    clip : float | str, default 'none'
        Largest absolute prediction B, for absolute and pinball losses with |y| <= B; bets take the slope
        before clipping (a number in (0, inf), or "none").
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "coin-taylor"

    def __init__(
        self,
        *,
        loss='absolute',
        tau=0.5,
        epsilon=1.0,
        clip='none',
        bandwidth=1.0,
        order=2,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.loss = loss
        self.tau = tau
        self.epsilon = epsilon
        self.clip = clip
        self.bandwidth = bandwidth
        self.order = order
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class CoinTaylorClassifier(OnlineClassifier):
    """Coin betting over the Taylor features of the Gaussian kernel: gradient descent without a step size, for
    losses with bounded slopes (Orabona, Pal, NIPS 2016).

    Parameters
    ----------
    loss : str, default 'logistic'
        Convex loss with bounded slopes; hinge and logistic take labels -1 and 1 ("absolute" or "hinge" or
        "logistic" or "pinball").
    tau : float, default 0.5
        Quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above (a number in (0, 1)).
    epsilon : float, default 1.0
        Initial wealth, in units of predictions (a number in (0, inf)).
    clip : float | str, default 'none'
        Largest absolute prediction B, for absolute and pinball losses with |y| <= B; bets take the slope
        before clipping (a number in (0, inf), or "none").
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "coin-taylor"

    def __init__(
        self,
        *,
        loss='logistic',
        tau=0.5,
        epsilon=1.0,
        clip='none',
        bandwidth=1.0,
        order=2,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.loss = loss
        self.tau = tau
        self.epsilon = epsilon
        self.clip = clip
        self.bandwidth = bandwidth
        self.order = order
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class DiscountedAwvTaylor(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that discounts past
    rounds (Jacobsen, Cutkosky, ICML 2024).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    gamma : float | str, default 'memory'
        Discount: the weight of a round relative to the next one; memory: memory / (1 + memory) (a number in
        (0, 1], or "memory").
    memory : float | str, default 100.0
        Eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite:
        gamma = 1 (a number in [0.5, inf), or "infinite").
    refresh : float | str, default 'memory'
        W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda
        again; memory: max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular
        where inputs stay away (a number in [1, 1000000000000000], or "memory" or "never").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "discounted-awv-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        gamma='memory',
        memory=100.0,
        refresh='memory',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.gamma = gamma
        self.memory = memory
        self.refresh = refresh
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class DiscountedRidgeTaylor(OnlineRegressor):
    """Ridge regression over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen,
    Cutkosky, ICML 2024).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    gamma : float | str, default 'memory'
        Discount: the weight of a round relative to the next one; memory: memory / (1 + memory) (a number in
        (0, 1], or "memory").
    memory : float | str, default 100.0
        Eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite:
        gamma = 1 (a number in [0.5, inf), or "infinite").
    refresh : float | str, default 'memory'
        W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda
        again; memory: max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular
        where inputs stay away (a number in [1, 1000000000000000], or "memory" or "never").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "discounted-ridge-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        gamma='memory',
        memory=100.0,
        refresh='memory',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.gamma = gamma
        self.memory = memory
        self.refresh = refresh
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class DiscountedAwvFourier(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel that discounts past
    rounds (Jacobsen, Cutkosky, ICML 2024).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 100
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 11585).
    kind : str, default 'iid'
        Iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
        ("iid" or "orthogonal").
    gamma : float | str, default 'memory'
        Discount: the weight of a round relative to the next one; memory: memory / (1 + memory) (a number in
        (0, 1], or "memory").
    memory : float | str, default 100.0
        Eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite:
        gamma = 1 (a number in [0.5, inf), or "infinite").
    refresh : float | str, default 'memory'
        W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda
        again; memory: max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular
        where inputs stay away (a number in [1, 1000000000000000], or "memory" or "never").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "discounted-awv-fourier"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        features=100,
        kind='iid',
        gamma='memory',
        memory=100.0,
        refresh='memory',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.gamma = gamma
        self.memory = memory
        self.refresh = refresh
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class DiscountedRidgeFourier(OnlineRegressor):
    """Ridge regression over random Fourier features of the Gaussian kernel that discounts past rounds
    (Jacobsen, Cutkosky, ICML 2024).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    features : int, default 100
        Number D of random frequencies; each gives a sine and a cosine (an integer from 1 to 11585).
    kind : str, default 'iid'
        Iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
        ("iid" or "orthogonal").
    gamma : float | str, default 'memory'
        Discount: the weight of a round relative to the next one; memory: memory / (1 + memory) (a number in
        (0, 1], or "memory").
    memory : float | str, default 100.0
        Eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite:
        gamma = 1 (a number in [0.5, inf), or "infinite").
    refresh : float | str, default 'memory'
        W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda
        again; memory: max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular
        where inputs stay away (a number in [1, 1000000000000000], or "memory" or "never").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "discounted-ridge-fourier"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        features=100,
        kind='iid',
        gamma='memory',
        memory=100.0,
        refresh='memory',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.gamma = gamma
        self.memory = memory
        self.refresh = refresh
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class WindowAwvTaylor(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster over a window of past rounds, sliding or restarted, with the Taylor
    features of the Gaussian kernel.

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    width : int, default 100
        W: the forecast uses at most the w - 1 rounds before it (an integer from 1 to 10000000).
    rule : str, default 'sliding'
        Sliding: the last w - 1 rounds; restart: forget everything every w rounds ("sliding" or "restart").
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "window-awv-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        width=100,
        rule='sliding',
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.width = width
        self.rule = rule
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class TrackingAwvTaylor(OnlineRegressor):
    """Azoury-Warmuth-Vovk forecaster against a moving function, over the Taylor features of the Gaussian
    kernel (after Busuttil, Kalnishkan, ALT 2007).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    q : float, default 0.01
        Variance of a step of the function's weights from one round to the next (a number in [0, inf)).
    a : float, default 1.0
        What is left of the function's weights after a round, before the step (a number in (0, 1]).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "tracking-awv-taylor"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        q=0.01,
        a=1.0,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.q = q
        self.a = a
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class DiscountMixture(OnlineRegressor):
    """Exponential weights over discounted Azoury-Warmuth-Vovk forecasters of all memories, over the Taylor
    features of the Gaussian kernel (Jacobsen, Cutkosky, ICML 2024).

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the squared norm in the regression (a number in (0, inf)).
    bandwidth : float, default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)) (a number in (0, inf)).
    order : int, default 2
        Largest degree M of the Taylor features; there are C(M + d, d) of them (an integer from 0 to 100).
    bound : float | None, default None
        B, the largest absolute value of a target; experts are clipped to [-B, B] (a number in (0, inf)). Must
        be given.
    rule : str, default 'average'
        Mean of the experts with eta = 1/(8 B^2) (average), or substitution function of the aggregating
        algorithm with eta = 1/(2 B^2) (aggregating) ("average" or "aggregating").
    tracking : bool, default False
        Whether forecasters against a moving function, with q = 1, 1/4, 1/16, ..., 1/n, are among the experts
        (true or false).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "discount-mixture"

    def __init__(
        self,
        *,
        lam=1.0,
        bandwidth=1.0,
        order=2,
        bound=None,
        rule='average',
        tracking=False,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.lam = lam
        self.bandwidth = bandwidth
        self.order = order
        self.bound = bound
        self.rule = rule
        self.tracking = tracking
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class RobustOgd(OnlineRegressor):
    """Online gradient descent on a robust loss in the kernel's space (Guo, Christmann, Shi, algorithm (5)).

    Parameters
    ----------
    window : str, default 'welsch'
        W of the loss (scale^2 / 2) W(u^2 / scale^2) of a residual u.
    window_params : dict[str, Any] | None, default None
        Parameters of `window`, by name.
    scale : float | str, default 2.0
        Sigma, the size from which the window treats a residual as an outlier, in units of the target;
        `theory` is n^((r + p + 1) / (2 p (2 r + 1))), the least that keeps the rate of theorem 1 (2 r + beta
        for 2 r + 1 in theorem 2) (a number in (0, inf), or "theory").
    eta : float | str, default '1/sqrt(n)'
        Step size for the loss with W'(0) = 1/2 or 1, depending on the window; `theory` is n^-theta / eta_0 of
        the paper's (8), corrected (a number in (0, inf), or "theory" or "1/sqrt(n)").
    decay : float, default 0.0
        Step t has size eta t^-decay; 0 is the constant step of the theorems (a number in [0, 1)).
    regularity : float, default 0.5
        R: the target is L_K^r g; used by `theory` only (a number in (0, inf)).
    capacity : float, default 1.0
        Beta: Tr(L_K^beta) is finite; used by `theory` only (a number in (0, 1]).
    norm : str, default 'l2'
        The norm in which `theory` bounds the error: l2 (theorem 1) or rkhs (theorem 2, regularity above 1/2)
        ("l2" or "rkhs").
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "robust-ogd"

    def __init__(
        self,
        *,
        window='welsch',
        window_params=None,
        scale=2.0,
        eta='1/sqrt(n)',
        decay=0.0,
        regularity=0.5,
        capacity=1.0,
        norm='l2',
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.window = window
        self.window_params = window_params
        self.scale = scale
        self.eta = eta
        self.decay = decay
        self.regularity = regularity
        self.capacity = capacity
        self.norm = norm
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class RobustBatch(OnlineRegressor):
    """Batch gradient descent on a robust loss with early stopping, refitted at rounds 1, 2, 4, 8, ... (Guo,
    Christmann, Shi, algorithm (10)).

    Parameters
    ----------
    window : str, default 'welsch'
        W of the loss (scale^2 / 2) W(u^2 / scale^2) of a residual u.
    window_params : dict[str, Any] | None, default None
        Parameters of `window`, by name.
    scale : float | str, default 2.0
        Sigma, the size from which the window treats a residual as an outlier, in units of the target;
        `theory` is n^((r + p + 1) / (2 p (2 r + 1))), the least that keeps the rate of theorem 1 (2 r + beta
        for 2 r + 1 in theorem 2) (a number in (0, inf), or "theory").
    eta : float | str, default '1/sqrt(n)'
        Step size for the loss with W'(0) = 1/2 or 1, depending on the window; `theory` is n^-theta / eta_0 of
        the paper's (8), corrected (a number in (0, inf), or "theory" or "1/sqrt(n)").
    decay : float, default 0.0
        Step l has size eta l^-decay (a number in [0, 0.5]).
    regularity : float, default 0.5
        R: the target is L_K^r g; used by `theory` only (a number in (0, inf)).
    capacity : float, default 1.0
        Beta: Tr(L_K^beta) is finite; used by `theory` only (a number in (0, 1]).
    norm : str, default 'l2'
        The norm in which `theory` bounds the error: l2 (theorem 1) or rkhs (theorem 2, regularity above 1/2)
        ("l2" or "rkhs").
    stopping : float, default 1.0
        C: descent on T examples stops at g_l, l = ceil(c T^(1 / ((2 regularity + capacity)(1 - decay)))) + 1
        (a number in (0, 20]).
    kernel : str, default 'gaussian'
        Kernel of the function space.
    kernel_params : dict[str, Any] | None, default None
        Parameters of `kernel`, by name.
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "robust-batch"

    def __init__(
        self,
        *,
        window='welsch',
        window_params=None,
        scale=2.0,
        eta='1/sqrt(n)',
        decay=0.0,
        regularity=0.5,
        capacity=1.0,
        norm='l2',
        stopping=1.0,
        kernel='gaussian',
        kernel_params=None,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.window = window
        self.window_params = window_params
        self.scale = scale
        self.eta = eta
        self.decay = decay
        self.regularity = regularity
        self.capacity = capacity
        self.norm = norm
        self.stopping = stopping
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Constant(OnlineRegressor):
    """Baseline: predicts the same number in every round.

    Parameters
    ----------
    value : float, default 0.0
        The prediction c (a number in (-inf, inf)).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "constant"

    def __init__(
        self,
        *,
        value=0.0,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.value = value
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class RunningMean(OnlineRegressor):
    """Baseline: predicts the mean of the targets so far.

    Parameters
    ----------
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "running-mean"

    def __init__(
        self,
        *,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class LastValue(OnlineRegressor):
    """Baseline: predicts the target of the round before.

    Parameters
    ----------
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "last-value"

    def __init__(
        self,
        *,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Majority(OnlineRegressor):
    """Baseline: predicts the target that has occurred most often so far.

    Parameters
    ----------
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "majority"

    def __init__(
        self,
        *,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state


class Neighbours(OnlineRegressor):
    """Baseline: predicts the mean of the targets of the nearest among the newest rows.

    Parameters
    ----------
    count : int, default 5
        K, how many rows the mean is of (an integer from 1 to 1000000).
    window : int, default 1000
        W, among how many of the newest rows they are looked for (an integer from 1 to 1000000).
    scaling : str, default 'epochs'
        What scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no
        scale) or none, for rows that have the scales of the learner ("epochs" or "none").
    horizon : int | None, default None
        Number of rounds n in formulas such as 1/sqrt(n); None: the number of rows of `fit` or `play`.
    random_state : int | RandomState | None, default 0
        Seed of the learner's own random draws, that of `noregret stream --seed`.
    """

    _learner = "neighbours"

    def __init__(
        self,
        *,
        count=5,
        window=1000,
        scaling='epochs',
        horizon=None,
        random_state=0,
    ):
        self.count = count
        self.window = window
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state
