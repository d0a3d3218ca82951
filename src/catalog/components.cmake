# The catalogue. A new component needs its header and a line here: the class, which is in the file
# of the same name (SampleMean is in sau/model/sample_mean.hpp), or CLASS=FILE if the names differ.
set(SAU_MODELS
    SampleMean
    BetaBernoulli
    Linear
    LinearPosterior
    Mlp
    NeuralLinear
    RandomFeatures
    NeuralGradient
    LangevinMlp
    Committee
    Bootstrap
    Restarting
    Windowed
    HashedLinear
    HashedMlp)

set(SAU_STRATEGIES
    Uniform
    Greedy
    EpsilonGreedy
    Softmax
    SquareCb=squarecb
    Exp3
    Ucb1
    KlUcb
    Thompson
    SauUcb
    SauSampling
    LinUcb)

set(SAU_PROBLEMS
    Bernoulli
    Piecewise
    LinearProblem=linear
    Wheel
    Dataset
    Csv
    Libsvm
    Rewards
    Changing
    Clicks
    Events)
