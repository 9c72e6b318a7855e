#include "plugin/models/adapters/change_kind.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace lowtide::models {

namespace changes {
#define LOWTIDE_ENTRY(name) const ChangeKind& name();
#include "change_list.inc"
#undef LOWTIDE_ENTRY
}  // namespace changes

namespace {

constexpr const char* kChangeHint = "get the adapter again, or choose another one";

std::vector<std::string> quotedNames(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names) {
        result.push_back(quotedName(name));
    }
    return result;
}

/// "up" and "down" or "w1".
std::string setsOf(const FactorChoice& choice) {
    std::vector<std::string> sets;
    for (const std::vector<std::string>& set : choice.sets) {
        sets.push_back(join(quotedNames(set), " and "));
    }
    return join(sets, " or ");
}

[[noreturn]] void refuseFactor(const ChangeKind& kind,
                               const std::string& problem,
                               const std::string& name) {
    throw Error(
        ErrorKind::Corrupt, "a change of kind \"" + kind.name + "\" " + problem, kChangeHint, name);
}

void checkNames(const ChangeKind& kind, const FactorShapes& factors) {
    std::set<std::string, std::less<>> known;
    for (const FactorChoice& choice : kind.factors) {
        for (const std::vector<std::string>& set : choice.sets) {
            known.insert(set.begin(), set.end());
        }
    }
    for (const auto& [name, shape] : factors) {
        if (!known.contains(name)) {
            refuseFactor(kind, "has no factor " + quotedName(name), name);
        }
        if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
            refuseFactor(kind,
                         "is empty: its factor " + quotedName(name) + " has the shape " +
                             toText(shape) + ", a rank of 0",
                         name);
        }
    }
}

void checkChoice(const ChangeKind& kind, const FactorChoice& choice, const FactorShapes& factors) {
    std::string first;  // of the set that is there
    for (const std::vector<std::string>& set : choice.sets) {
        const auto isThere = [&](const std::string& name) { return factors.contains(name); };
        const auto seen = std::find_if(set.begin(), set.end(), isThere);
        if (seen == set.end()) {
            continue;
        }
        if (!first.empty()) {
            refuseFactor(kind,
                         "has both " + quotedName(first) + " and " + quotedName(*seen) +
                             ", it takes " + setsOf(choice),
                         *seen);
        }
        const auto missing = std::find_if_not(set.begin(), set.end(), isThere);
        if (missing != set.end()) {
            refuseFactor(
                kind, "has " + quotedName(*seen) + " but no " + quotedName(*missing), *missing);
        }
        first = *seen;
    }
    if (first.empty() && !choice.isOptional) {
        refuseFactor(kind, "needs " + setsOf(choice), choice.sets.front().front());
    }
}

}  // namespace

std::span<const ChangeKind* const> changeKinds() {
    static const std::vector<const ChangeKind*> kKinds = {
#define LOWTIDE_ENTRY(name) &changes::name(),
#include "change_list.inc"
#undef LOWTIDE_ENTRY
    };
    return kKinds;
}

const ChangeKind& changeKind(std::string_view name) {
    std::vector<std::string> built;
    for (const ChangeKind* const kind : changeKinds()) {
        if (kind->name == name) {
            return *kind;
        }
        built.push_back(kind->name);
    }
    throw Error(ErrorKind::Unsupported,
                "weight changes of kind " + quotedName(name) + " are not built (" +
                    join(built, ", ") + " are)",
                kChangeHint);
}

void checkFactors(const ChangeKind& kind, const Shape& weight, const FactorShapes& factors) {
    checkNames(kind, factors);
    for (const FactorChoice& choice : kind.factors) {
        checkChoice(kind, choice, factors);
    }
    kind.checkShapes(weight, factors);
}

double scaleOf(const ChangeKind& kind, std::optional<double> alpha, const FactorShapes& factors) {
    if (!alpha || *alpha == 0) {
        return 1;
    }
    if (!std::isfinite(*alpha)) {
        throw Error(ErrorKind::Corrupt,
                    "the alpha of a change of kind \"" + kind.name + "\" is " +
                        formatNumber(*alpha) + ", no finite number",
                    kChangeHint,
                    "alpha");
    }
    const int64_t rank = kind.rank ? kind.rank(factors) : 0;
    return rank > 0 ? *alpha / static_cast<double>(rank) : 1;
}

}  // namespace lowtide::models
