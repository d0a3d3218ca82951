#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include "catalog/names.hpp"
#include "catalog/problem_list.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

using detail::add_alias_names;
using detail::describe;
using detail::has_name;
using detail::refuse_settings;

std::string expand_problem(std::string_view text) {
  const std::string wanted = lower_case(trimmed(text));
  for (const Alias& alias : problem_aliases()) {
    if (lower_case(alias.name) == wanted) return std::string(alias.spec);
  }
  return std::string(text);
}

struct ProblemSpec {
  std::string problem;
  Lateness late;
};

ProblemSpec parse_problem(std::string_view text) {
  auto parts = split_specs(text, '+');
  if (parts.size() == 1) return {std::move(parts[0]), {}};
  const Spec late = parse_spec(parts[1]);
  if (parts.size() > 2 || late.name != "late") {
    throw UsageError("cannot read the problem '" + std::string(text) +
                     "': expected problem or problem+late(...)");
  }
  return {std::move(parts[0]), read_options<Lateness>("late", late.params)};
}

std::string write_late(const std::string& problem, const Lateness& late) {
  return late == Lateness{} ? problem : problem + "+" + write_spec("late", late);
}

// People give the path of their data instead of a problem that reads it.
void refuse_path(const std::string& problem) {
  if (problem.find_first_of("(\"=") != std::string::npos) return;
  const bool libsvm = problem.ends_with(".svm") || problem.ends_with(".libsvm");
  const auto ends = [&](const char* extension) { return problem.ends_with(extension); };
  const bool table = std::ranges::any_of(std::array{".csv", ".tsv", ".txt", ".gz", ".xz"}, ends);
  if (!libsvm && !table && problem.find('/') == std::string::npos) return;
  throw UsageError("'" + problem + "' is a path, not a problem; write " +
                   (libsvm ? "libsvm" : "csv") + "(file=" + problem + "), in quotes for the shell");
}

template <class F>
auto with_problem(std::string_view text, F&& f) {
  const std::string problem = parse_problem(text).problem;
  refuse_path(problem);
  const Spec spec = parse_spec(expand_problem(problem));
  if (!has_name(Problems{}, spec.name)) {
    refuse_settings(spec, expand_problem(spec.name));
    auto known = names(Problems{});
    add_alias_names(known, problem_aliases());
    throw UsageError(unknown_name("problem", spec.name, known));
  }
  return with_named(Problems{}, "problem", spec.name, [&]<class P>() {
    return f.template operator()<P>(read_options<typename P::Options>(P::kName, spec.params));
  });
}

// Whether the text names a problem of the catalogue. Results may be of others, such as those
// written in Python.
bool knows_problem(std::string_view text) {
  try {
    return has_name(Problems{}, parse_spec(text).name);
  } catch (const UsageError&) {
    return false;
  }
}

// The text that names the streams of a problem. It leaves out what changes none of the problem's
// draws: when rewards arrive, where the best action is, and how the path of a file is written.
std::string stream_name(std::string_view canonical, std::string_view data) {
  std::string text = parse_problem(canonical).problem;
  if (!knows_problem(text)) return text;
  return with_problem(text, [&]<class P>(typename P::Options options) {
    if constexpr (requires { options.file; }) {
      if (data.empty()) return text;
      return write_spec(P::kName, P::stream_options(options)) + " " + std::string(data);
    } else if constexpr (requires { P::stream_options(options); }) {
      return write_spec(P::kName, P::stream_options(options));
    } else {
      return text;
    }
  });
}

// A problem of type P as a Base.
template <class Base, class P>
std::unique_ptr<Base> make_of_kind(const Stream& stream, const typename P::Options& options) {
  if constexpr (std::derived_from<P, Base>) {
    return std::make_unique<P>(stream, options);
  } else {
    constexpr bool kById = std::derived_from<P, OfferProblem>;
    throw UsageError("the actions of the problem " + std::string(P::kName) +
                     (kById ? " come and go by id; expected a problem with a fixed set of actions"
                            : " are a fixed set; expected a problem whose actions come and go"));
  }
}

}  // namespace

std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream) {
  return with_problem(problem, [&]<class P>(const typename P::Options& options) {
    return make_of_kind<Problem, P>(stream, options);
  });
}

std::unique_ptr<OfferProblem> make_offer_problem(std::string_view problem, const Stream& stream) {
  return with_problem(problem, [&]<class P>(const typename P::Options& options) {
    return make_of_kind<OfferProblem, P>(stream, options);
  });
}

bool offers_by_id(std::string_view problem) {
  return with_problem(problem, []<class P>(const typename P::Options&) {
    return std::derived_from<P, OfferProblem>;
  });
}

Lateness lateness_of(std::string_view problem) { return parse_problem(problem).late; }

std::string with_lateness(std::string_view problem, const Lateness& late) {
  return write_late(parse_problem(problem).problem, late);
}

std::string canonical_problem(std::string_view problem) {
  const std::string spec = with_problem(problem, []<class P>(const typename P::Options& options) {
    return write_spec(P::kName, options);
  });
  return write_late(spec, lateness_of(problem));
}

std::string problem_name(std::string_view problem) {
  const auto [spec, late] = parse_problem(canonical_problem(problem));
  for (const Alias& alias : problem_aliases()) {
    if (canonical_problem(alias.spec) == spec) return write_late(std::string(alias.name), late);
  }
  return write_late(spec, late);
}

Stream problem_stream(std::string_view canonical_problem, std::uint64_t seed, std::uint64_t trial,
                      std::string_view data) {
  return {seed, trial, scope_of(stream_name(canonical_problem, data)), Role::kProblem};
}

Stream agent_stream(std::string_view canonical_problem, std::string_view canonical_agent,
                    std::uint64_t seed, std::uint64_t trial, std::string_view data) {
  const std::string both =
      stream_name(canonical_problem, data) + " " + std::string(canonical_agent);
  return {seed, trial, scope_of(both), Role::kAgent};
}

std::string with_first_best(std::string_view canonical_problem) {
  const auto [text, late] = parse_problem(canonical_problem);
  if (!knows_problem(text)) return std::string(canonical_problem);
  const std::string first = with_problem(text, []<class P>(typename P::Options options) {
    if constexpr (requires { options.place_first(); }) options.place_first();
    return write_spec(P::kName, options);
  });
  return write_late(first, late);
}

std::vector<ComponentInfo> list_problems() { return describe(Problems{}); }

ComponentInfo describe_late() {
  return {.name = "late",
          .summary = "when rewards arrive, for any problem",
          .settings = describe_options<Lateness>(),
          .fits = {}};
}

}  // namespace sau
