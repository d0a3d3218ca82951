#include "sau/catalog/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "sau/core/text.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
#include "support/random_options.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string agent_error(const std::string& text) {
  return testing::error_of<UsageError>([&] { canonical_agent(text); });
}
std::string problem_error(const std::string& text) {
  return testing::error_of<UsageError>([&] { canonical_problem(text); });
}
std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}
Setup ten_actions() { return {.shape = {.actions = 10}, .stream = {}}; }

TEST(AgentNames, ModelPlusStrategyIsCanonical) {
  EXPECT_EQ(canonical_agent("sample_mean+sau_ucb"), "sample_mean+sau_ucb");
  EXPECT_EQ(canonical_agent(" sample_mean ( ) + sau_ucb ( alpha = 0.50 ) "),
            "sample_mean+sau_ucb(alpha=0.5)");
}

TEST(AgentNames, ABareStrategyGetsItsDefaultModel) {
  EXPECT_EQ(canonical_agent("sau_sampling"), "sample_mean+sau_sampling");
  EXPECT_EQ(canonical_agent("thompson"), "beta_bernoulli+thompson");
  EXPECT_EQ(canonical_agent("epsilon_greedy(epsilon=0.046,decay=0.93)"),
            "sample_mean+epsilon_greedy(epsilon=0.046,decay=0.93)");
}

TEST(AgentNames, DefaultsAreLeftOut) {
  EXPECT_EQ(canonical_agent("sample_mean+sau_ucb(alpha=1,floor=0,initial_pulls=1)"),
            "sample_mean+sau_ucb");
}

TEST(AgentNames, AliasesAreReadInAnyCase) {
  EXPECT_EQ(canonical_agent("TS"), "beta_bernoulli+thompson");
  for (const Alias& alias : agent_aliases()) {
    const std::string name(alias.name);
    EXPECT_EQ(canonical_agent(name), canonical_agent(alias.spec));
    EXPECT_EQ(canonical_agent(lower_case(name)), canonical_agent(alias.spec));
    EXPECT_EQ(canonical_agent(upper_case(name)), canonical_agent(alias.spec));
  }
  for (const Alias& alias : problem_aliases()) {
    const std::string name(alias.name);
    EXPECT_EQ(canonical_problem(name), canonical_problem(alias.spec));
    EXPECT_EQ(canonical_problem(upper_case(name)), canonical_problem(alias.spec));
  }
}

TEST(AgentNames, BlanksAroundAnAliasAreIgnored) {
  EXPECT_EQ(agent_error(" sau_ucb "), "");
  EXPECT_EQ(agent_error(" TS "), "");
  EXPECT_EQ(problem_error(" bernoulli-10-0.02"), "");
}

TEST(AgentNames, AliasesStandForCanonicalSpecs) {
  for (const Alias& alias : agent_aliases()) EXPECT_EQ(canonical_agent(alias.spec), alias.spec);
  for (const Alias& alias : problem_aliases()) EXPECT_EQ(canonical_problem(alias.spec), alias.spec);
}

TEST(AgentNames, AliasesAreTwoWay) {
  for (const Alias& alias : agent_aliases()) {
    // Without contexts the default agent is one of the paper's, and has that name.
    if (alias.name == kDefaultAgent) continue;
    EXPECT_EQ(agent_name(alias.spec), alias.name);
  }
  for (const Alias& alias : problem_aliases()) EXPECT_EQ(problem_name(alias.spec), alias.name);
}

TEST(AgentNames, WithoutANameInThePaperTheNameIsTheSpec) {
  EXPECT_EQ(agent_name("sau_ucb(alpha=0.5)"), "sample_mean+sau_ucb(alpha=0.5)");
  EXPECT_EQ(agent_name("sau_ucb(alpha=1.0)"), "SAU-UCB");
  EXPECT_EQ(problem_name("bernoulli(actions=3)"), "bernoulli(actions=3)");
  EXPECT_EQ(problem_name("bernoulli(gap=2e-2,best=0)"), "bernoulli-10-0.02");
  EXPECT_EQ(problem_name("bernoulli"), "bernoulli");
}

TEST(AgentNames, AModelAloneIsAClearError) {
  const std::string error = agent_error("sample_mean");
  EXPECT_THAT(error, HasSubstr("names a model only"));
  EXPECT_THAT(error, HasSubstr("sample_mean+sau_sampling"));
}

TEST(AgentNames, PairsThatDoNotFitAreRefusedWithAReason) {
  EXPECT_EQ(agent_error("sample_mean+thompson"),
            "thompson needs a model with a posterior; sample_mean is not one");
}

TEST(AgentNames, MoreThanTwoPartsAreRefused) {
  EXPECT_THAT(agent_error("sample_mean+greedy+uniform"), HasSubstr("found 3 parts"));
}

TEST(AgentNames, EmptyPartsAreRefused) {
  for (const char* text : {"", " ", "+", "sample_mean+", "+greedy"}) {
    EXPECT_THAT(agent_error(text), HasSubstr("expected a name")) << text;
  }
}

TEST(AgentNames, UnknownNamesAreListedWithASuggestion) {
  EXPECT_THAT(agent_error("sau_ucp"),
              HasSubstr("unknown agent 'sau_ucp'; did you mean 'sau_ucb'?"));
  EXPECT_THAT(agent_error("sau_ucp"), HasSubstr("epsilon_greedy"));
  EXPECT_THAT(agent_error("sau-samplng"), HasSubstr("did you mean 'sau-sampling'?"));
  EXPECT_THAT(agent_error("sample_maen+greedy"),
              HasSubstr("unknown model 'sample_maen'; did you mean 'sample_mean'?"));
  EXPECT_THAT(agent_error("sample_mean+gredy"),
              HasSubstr("unknown strategy 'gredy'; did you mean 'greedy'?"));
  EXPECT_THAT(problem_error("bernouli"),
              HasSubstr("unknown problem 'bernouli'; did you mean 'bernoulli'?"));
}

TEST(AgentNames, AListOfKnownNamesHasEachOnce) {
  const std::string error = agent_error("zzzzzzzz");
  std::vector<std::string> known;
  std::istringstream list(error.substr(error.find("known: ") + 7));
  for (std::string name; std::getline(list >> std::ws, name, ',');) known.push_back(name);
  for (const auto& name : known) {
    EXPECT_EQ(std::count(known.begin(), known.end(), name), 1) << name << " in: " << error;
  }
}

TEST(AgentNames, WrongSettingsNameTheirOwner) {
  EXPECT_THAT(agent_error("sau_ucb(alpha=0)"), HasSubstr("sau_ucb: alpha=0 is not allowed"));
  EXPECT_THAT(agent_error("beta_bernoulli(alpha=-1)+thompson"), HasSubstr("beta_bernoulli: alpha"));
  EXPECT_THAT(agent_error("sau_ucb(beta=1)"), HasSubstr("sau_ucb: unknown setting 'beta'"));
}

// Parameters that the sampler cannot draw from must be refused.
TEST(AgentNames, PriorsBeyondTheSamplerAreRefused) {
  EXPECT_NE(agent_error("beta_bernoulli(alpha=1e305)+thompson"), "");
  EXPECT_NE(agent_error("beta_bernoulli(beta=1e308)+thompson"), "");
}

template <class Component>
std::string random_part(testing::RandomSettings& random) {
  return write_spec(Component::kName, random.draw<typename Component::Options>());
}

// A spec with random settings.
template <class P>
std::string random_spec(testing::RandomSettings& random) {
  const std::string model = random_part<typename P::Model>(random);
  return model + "+" + random_part<typename P::Strategy>(random);
}

using SpecPair = testing::CompiledPair<std::string(testing::RandomSettings&)>;

template <class... P>
std::vector<SpecPair> spec_pairs(TypeList<P...> pairs) {
  return testing::compiled_pairs<std::string(testing::RandomSettings&)>(pairs, {random_spec<P>...});
}

class CanonicalForm : public ::testing::TestWithParam<SpecPair> {};
INSTANTIATE_TEST_SUITE_P(Pairs, CanonicalForm,
                         ::testing::ValuesIn(spec_pairs(testing::FittingPairs{})),
                         testing::pair_name);

TEST_P(CanonicalForm, ReadsBackToItself) {
  testing::RandomSettings random(31);
  constexpr int kEnough = testing::kSanitizer ? 5 : 400;
  int accepted = 0;
  for (int i = 0; i < 400 && accepted < kEnough; ++i) {
    const std::string text = GetParam().call(random);
    if (!agent_error(text).empty()) continue;
    ++accepted;
    EXPECT_EQ(canonical_agent(text), text);
  }
  EXPECT_GE(accepted, std::min(kEnough, 51));
}

TEST_P(CanonicalForm, IsTheSpecOfTheAgent) {
  const auto agent = GetParam().make_usual(3);
  EXPECT_EQ(agent->spec(), GetParam().usual_spec());
  EXPECT_EQ(agent->spec(), canonical_agent(agent->spec()));
  EXPECT_EQ(agent->shape(), GetParam().setup(3).shape);
}

TEST(MakeAgent, NeedsAnAction) {
  EXPECT_THAT(testing::error_of<UsageError>(
                  [] { make_agent("greedy", {.shape = {.actions = 0}, .stream = {}}); }),
              HasSubstr("at least one action"));
}

TEST(MakeAgent, RefusesAProblemOfAnotherShape) {
  const auto agent = make_agent("greedy", ten_actions());
  const auto problem = make_problem("bernoulli(actions=3)", {});
  const auto points = curve_points(10);
  Recorder recorder(3, 10, points);
  Streams rng{Rng(Stream{}), Rng(Stream{})};
  EXPECT_THAT(testing::error_of([&] { agent->play(*problem, rng, 10, recorder); }),
              HasSubstr("made for 10 actions and contexts of length 0, the problem has 3 actions"));
}

TEST(MakeProblem, GivesTheProblemOfTheSpec) {
  EXPECT_EQ(make_problem("bernoulli-50-0.1", {})->shape().actions, 50U);
  EXPECT_EQ(make_problem("bernoulli(means=0.1x0.2)", {})->shape().actions, 2U);
}

TEST(Streams, OfTheProblemDependOnlyOnTheProblem) {
  const Stream problem = problem_stream("bernoulli", 5, 6);
  EXPECT_EQ(
      problem,
      (Stream{.seed = 5, .trial = 6, .scope = scope_of("bernoulli"), .role = Role::kProblem}));
  const Stream one = agent_stream("bernoulli", "sample_mean+greedy", 5, 6);
  const Stream two = agent_stream("bernoulli", "sample_mean+sau_ucb", 5, 6);
  EXPECT_EQ(one.role, Role::kAgent);
  EXPECT_NE(one.scope, two.scope);
  EXPECT_NE(one.scope, agent_stream("bernoulli(gap=0.2)", "sample_mean+greedy", 5, 6).scope);
}

// So the cells of the paper have the trials that they had before the best action was drawn.
TEST(Streams, DoNotDependOnWhichActionIsTheBest) {
  for (const auto& [placed, name] : {std::pair("bernoulli-10-0.1", "bernoulli"),
                                     {"bernoulli-50-0.1", "bernoulli(actions=50)"},
                                     {"uniform-10-0.1", "bernoulli(rewards=uniform)"},
                                     {"wheel-0.50", "wheel"},
                                     {"wheel-0.99", "wheel(delta=0.99)"}}) {
    const std::string spec = canonical_problem(placed);
    EXPECT_EQ(problem_stream(spec, 5, 6).scope, scope_of(name));
    EXPECT_EQ(agent_stream(spec, "linear+greedy", 5, 6).scope,
              scope_of(std::string(name) + " linear+greedy"));
  }
}

TEST(Streams, OfAFileFollowItsData) {
  const auto scope = [](const char* spec, const char* data) {
    return problem_stream(spec, 5, 6, data).scope;
  };
  EXPECT_EQ(scope("csv(file=d/u.csv)", "12ab"), scope("csv(file=./d/u.csv,label=y)", "12ab"));
  EXPECT_NE(scope("csv(file=d/u.csv)", "12ab"), scope("csv(file=d/u.csv)", "12ac"));
  EXPECT_NE(scope("csv(file=d/u.csv)", "12ab"), scope("rewards(file=d/u.csv)", "12ab"));
  EXPECT_NE(scope("events(file=e)", "12ab"), scope("events(file=e,order=file)", "12ab"));
  // The name of a data set of the paper says everything.
  EXPECT_EQ(scope("dataset(name=statlog)", "12ab"), scope_of("dataset(name=statlog)"));
}

// Such as a problem written in Python.
TEST(Streams, OfAProblemThatTheCatalogueDoesNotKnowAreNamedByItsText) {
  EXPECT_EQ(problem_stream("my problem, 2nd", 5, 6).scope, scope_of("my problem, 2nd"));
  EXPECT_EQ(with_first_best("my problem, 2nd"), "my problem, 2nd");
}

// Another name for a strategy must not have another model beside it.
TEST(Names, AnotherNameIsTheSameAgent) {
  for (const auto& [other, name] : other_component_names()) {
    if (name == "linear" || name == "mlp") continue;  // models
    EXPECT_EQ(canonical_offer_agent(other), canonical_offer_agent(name)) << other;
    for (const std::size_t dim : {0, 3}) {
      EXPECT_EQ(canonical_agent(other, dim), canonical_agent(name, dim)) << other;
    }
  }
}

TEST(Names, APathIsNotAProblem) {
  for (const char* path : {"pets.csv", "data/pets", "./pets.csv.gz"}) {
    EXPECT_THAT(problem_error(path), HasSubstr("write csv(file=" + std::string(path) + ")"));
  }
  EXPECT_THAT(problem_error("words.svm"), HasSubstr("libsvm(file=words.svm)"));
}

TEST(Names, AreKnownAsPeopleWriteThem) {
  EXPECT_EQ(canonical_agent("LinUCB", 3), "linear+lin_ucb");
  EXPECT_EQ(canonical_agent("linucb(alpha=2)", 3), "linear+lin_ucb(alpha=2)");
  EXPECT_EQ(canonical_agent("LinTS", 3), "linear_posterior+thompson");
  EXPECT_EQ(canonical_agent("linear-ts", 3), "linear_posterior+thompson");
  EXPECT_EQ(canonical_agent("sau-s", 3), "linear+sau_sampling");
  EXPECT_EQ(canonical_agent("Boltzmann", 3), canonical_agent("softmax", 3));
  EXPECT_EQ(canonical_agent("Linear-Posterior+Thompson-Sampling"), "linear_posterior+thompson");
}

TEST(Traits, SayWhatTheReaderShouldKnow) {
  EXPECT_FALSE(agent_traits("sample_mean+greedy").explores);
  EXPECT_FALSE(agent_traits("linear+epsilon_greedy(epsilon=0)").explores);
  EXPECT_TRUE(agent_traits("linear+epsilon_greedy").explores);
  EXPECT_TRUE(agent_traits("linear+epsilon_greedy(epsilon=0,initial_pulls=1)").explores);
  EXPECT_TRUE(agent_traits("sample_mean+sau_ucb").explores);
  EXPECT_FALSE(agent_traits("sample_mean+sau_ucb").reads_context);
  EXPECT_TRUE(agent_traits("hashed_linear+sau_sampling+ids").reads_context);
}

template <class... T>
std::vector<std::string> names_of(TypeList<T...>) {
  return {std::string(T::kName)...};
}

TEST(Lists, AreComplete) {
  const auto check = [](const std::vector<ComponentInfo>& infos,
                        const std::vector<std::string>& names) {
    ASSERT_EQ(infos.size(), names.size());
    for (std::size_t i = 0; i < infos.size(); ++i) {
      EXPECT_EQ(infos[i].name, names[i]);
      EXPECT_NE(infos[i].summary, "");
      for (const FieldInfo& field : infos[i].settings) {
        EXPECT_NE(field.help, "") << infos[i].name << " " << field.name;
        EXPECT_NE(field.default_value, "") << infos[i].name << " " << field.name;
      }
    }
  };
  check(list_models(), names_of(Models{}));
  check(list_strategies(), names_of(Strategies{}));
  check(list_problems(), names_of(Problems{}));
}

TEST(Lists, NamesAreUniqueSnakeCase) {
  std::vector<std::string> names = names_of(Models{});
  for (const auto& name : names_of(Strategies{})) names.push_back(name);
  for (const auto& name : names) {
    EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << name;
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

TEST(Lists, EveryPairThatFitsCanBeMade) {
  for (const ComponentInfo& strategy : list_strategies()) {
    EXPECT_THAT(strategy.fits, Not(IsEmpty())) << strategy.name;
    for (const ComponentInfo& model : list_models()) {
      const bool fits =
          std::find(strategy.fits.begin(), strategy.fits.end(), model.name) != strategy.fits.end();
      EXPECT_EQ(agent_error(model.name + "+" + strategy.name).empty(), fits);
    }
  }
}

}  // namespace
}  // namespace sau
