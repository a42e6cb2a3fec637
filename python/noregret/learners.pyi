from collections.abc import Sequence
from typing import Any

from numpy.random import RandomState

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
    members: str
    words: dict[str, Any] | str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        members: str = 'all',
        words: dict[str, Any] | str = 'none',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class KernelRidge(OnlineRegressor):
    lam: float
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class KernelRidgeLowRank(OnlineRegressor):
    lam: float
    kernel: str
    kernel_params: dict[str, Any] | None
    tolerance: float
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        tolerance: float = 1e-08,
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class KernelAwv(OnlineRegressor):
    lam: float
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkrrTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkawvTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkrrFourier(OnlineRegressor):
    lam: float
    bandwidth: float
    features: int
    kind: str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        features: int = 100,
        kind: str = 'iid',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkawvFourier(OnlineRegressor):
    lam: float
    bandwidth: float
    features: int
    kind: str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        features: int = 100,
        kind: str = 'iid',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkrrNystrom(OnlineRegressor):
    lam: float
    mu: float
    beta: float
    epsilon: float
    weights: str
    sample: str
    dictionary: str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        weights: str = 'theory',
        sample: str = 'after',
        dictionary: str = 'sequential',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class PkawvNystrom(OnlineRegressor):
    lam: float
    mu: float
    beta: float
    epsilon: float
    weights: str
    sample: str
    dictionary: str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        weights: str = 'theory',
        sample: str = 'before',
        dictionary: str = 'sequential',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Kons(OnlineRegressor):
    alpha: float
    clip: float
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        clip: float = 1.0,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class SketchedKons(OnlineRegressor):
    alpha: float
    clip: float
    mu: float
    beta: float
    epsilon: float
    gamma: float
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        clip: float = 1.0,
        mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        gamma: float = 0.1,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class ProsNKons(OnlineRegressor):
    alpha: float
    clip: float
    mu: float
    beta: float
    epsilon: float
    weights: str
    variant: str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        clip: float = 1.0,
        mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        weights: str = 'theory',
        variant: str = 'paper',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Fogd(OnlineRegressor):
    eta: float | str
    bandwidth: float
    features: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        eta: float | str = '1/sqrt(n)',
        bandwidth: float = 1.0,
        features: int = 1000,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Nogd(OnlineRegressor):
    eta: float | str
    eta_linear: float | str
    budget: int
    rank: int
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        eta: float | str = '1/sqrt(n)',
        eta_linear: float | str = 'eta',
        budget: int = 100,
        rank: int = 50,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class KernelOgd(OnlineRegressor):
    eta: float | str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        eta: float | str = '1/sqrt(n)',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class ShrinkingGradient(OnlineRegressor):
    norm_bound: float
    eta: float | str
    draws: float | str
    variance: float
    precision: float | str
    failure: float
    feature: str
    feature_params: dict[str, Any] | None
    evaluation_neurons: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        norm_bound: float = 1.0,
        eta: float | str = 'theory',
        draws: float | str = 'adaptive',
        variance: float = 0.2,
        precision: float | str = 'as-learning',
        failure: float = 0.05,
        feature: str = 'cosine',
        feature_params: dict[str, Any] | None = None,
        evaluation_neurons: int = 0,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class ExpertMixture(OnlineRegressor):
    base: str
    base_params: dict[str, Any] | None
    grid: dict[str, list[Any]] | None
    bound: float | None
    rule: str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        base: str = 'kernel-awv',
        base_params: dict[str, Any] | None = None,
        grid: dict[str, list[Any]] | None = None,
        bound: float | None = None,
        rule: str = 'average',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Aggregate(OnlineRegressor):
    rule: str
    loss: str
    tau: float
    gradient: bool
    bound: float | str
    range: str
    eta: float | str
    alpha: float | str
    experts: str | Sequence[str | dict[str, Any]]
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        rule: str = 'boa',
        loss: str = 'square',
        tau: float = 0.5,
        gradient: bool = True,
        bound: float | str = 'none',
        range: str = 'bound',
        eta: float | str = 'theory',
        alpha: float | str = '1/n',
        experts: str | Sequence[str | dict[str, Any]] = 'columns',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Intervals(OnlineRegressor):
    base: str
    base_params: dict[str, Any] | None
    rule: str
    alpha: float
    bound: float | str
    rate: float | str
    window: int
    start: float
    epsilon: float
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        base: str = 'kernel-awv',
        base_params: dict[str, Any] | None = None,
        rule: str = 'aci',
        alpha: float = 0.1,
        bound: float | str = 'none',
        rate: float | str = 'rule',
        window: int = 0,
        start: float = 0.0,
        epsilon: float = 1.0,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class LinearOgd(OnlineRegressor):
    eta: float | str
    eta_factor: float
    radius: float
    input_bound: float
    target_bound: float
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        eta: float | str = 'theory',
        eta_factor: float = 1.0,
        radius: float = 1.0,
        input_bound: float = 1.0,
        target_bound: float = 1.0,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class AioliTaylorClassifier(OnlineClassifier):
    lam: float
    bound: float
    bandwidth: float
    order: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 0.01,
        bound: float = 10.0,
        bandwidth: float = 1.0,
        order: int = 2,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class AioliFourierClassifier(OnlineClassifier):
    lam: float
    bound: float
    bandwidth: float
    features: int
    kind: str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 0.01,
        bound: float = 10.0,
        bandwidth: float = 1.0,
        features: int = 100,
        kind: str = 'iid',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class CoinKernel(OnlineRegressor):
    loss: str
    tau: float
    epsilon: float
    clip: float | str
    kappa: float | str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        loss: str = 'absolute',
        tau: float = 0.5,
        epsilon: float = 1.0,
        clip: float | str = 'none',
        kappa: float | str = 'kernel',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class CoinKernelClassifier(OnlineClassifier):
    loss: str
    tau: float
    epsilon: float
    clip: float | str
    kappa: float | str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        loss: str = 'logistic',
        tau: float = 0.5,
        epsilon: float = 1.0,
        clip: float | str = 'none',
        kappa: float | str = 'kernel',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class CoinTaylor(OnlineRegressor):
    loss: str
    tau: float
    epsilon: float
    clip: float | str
    bandwidth: float
    order: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        loss: str = 'absolute',
        tau: float = 0.5,
        epsilon: float = 1.0,
        clip: float | str = 'none',
        bandwidth: float = 1.0,
        order: int = 2,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class CoinTaylorClassifier(OnlineClassifier):
    loss: str
    tau: float
    epsilon: float
    clip: float | str
    bandwidth: float
    order: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        loss: str = 'logistic',
        tau: float = 0.5,
        epsilon: float = 1.0,
        clip: float | str = 'none',
        bandwidth: float = 1.0,
        order: int = 2,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class DiscountedAwvTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    gamma: float | str
    memory: float | str
    refresh: float | str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        gamma: float | str = 'memory',
        memory: float | str = 100.0,
        refresh: float | str = 'memory',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class DiscountedRidgeTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    gamma: float | str
    memory: float | str
    refresh: float | str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        gamma: float | str = 'memory',
        memory: float | str = 100.0,
        refresh: float | str = 'memory',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class DiscountedAwvFourier(OnlineRegressor):
    lam: float
    bandwidth: float
    features: int
    kind: str
    gamma: float | str
    memory: float | str
    refresh: float | str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        features: int = 100,
        kind: str = 'iid',
        gamma: float | str = 'memory',
        memory: float | str = 100.0,
        refresh: float | str = 'memory',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class DiscountedRidgeFourier(OnlineRegressor):
    lam: float
    bandwidth: float
    features: int
    kind: str
    gamma: float | str
    memory: float | str
    refresh: float | str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        features: int = 100,
        kind: str = 'iid',
        gamma: float | str = 'memory',
        memory: float | str = 100.0,
        refresh: float | str = 'memory',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class WindowAwvTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    width: int
    rule: str
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        width: int = 100,
        rule: str = 'sliding',
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class TrackingAwvTaylor(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    q: float
    a: float
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        q: float = 0.01,
        a: float = 1.0,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class DiscountMixture(OnlineRegressor):
    lam: float
    bandwidth: float
    order: int
    bound: float | None
    rule: str
    tracking: bool
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        lam: float = 1.0,
        bandwidth: float = 1.0,
        order: int = 2,
        bound: float | None = None,
        rule: str = 'average',
        tracking: bool = False,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class RobustOgd(OnlineRegressor):
    window: str
    window_params: dict[str, Any] | None
    scale: float | str
    eta: float | str
    decay: float
    regularity: float
    capacity: float
    norm: str
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        window: str = 'welsch',
        window_params: dict[str, Any] | None = None,
        scale: float | str = 2.0,
        eta: float | str = '1/sqrt(n)',
        decay: float = 0.0,
        regularity: float = 0.5,
        capacity: float = 1.0,
        norm: str = 'l2',
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class RobustBatch(OnlineRegressor):
    window: str
    window_params: dict[str, Any] | None
    scale: float | str
    eta: float | str
    decay: float
    regularity: float
    capacity: float
    norm: str
    stopping: float
    kernel: str
    kernel_params: dict[str, Any] | None
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        window: str = 'welsch',
        window_params: dict[str, Any] | None = None,
        scale: float | str = 2.0,
        eta: float | str = '1/sqrt(n)',
        decay: float = 0.0,
        regularity: float = 0.5,
        capacity: float = 1.0,
        norm: str = 'l2',
        stopping: float = 1.0,
        kernel: str = 'gaussian',
        kernel_params: dict[str, Any] | None = None,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Constant(OnlineRegressor):
    value: float
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        value: float = 0.0,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class RunningMean(OnlineRegressor):
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class LastValue(OnlineRegressor):
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Majority(OnlineRegressor):
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class Neighbours(OnlineRegressor):
    count: int
    window: int
    scaling: str
    horizon: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        count: int = 5,
        window: int = 1000,
        scaling: str = 'epochs',
        horizon: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None: ...
