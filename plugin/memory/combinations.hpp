#pragma once
// Which choices go together: ok, lossy with reasons, or refused with the sentence that a user
// sees. One row a rule; validation, plan, stages and docs/combinations.md ask the same table.

#include "plugin/base/error.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::memory {

struct ComponentTree;

enum class Verdict : uint8_t { Ok, Lossy, Refused };

/// What a step cache asks of the network.
enum class CacheNeed : uint8_t {
    Nothing,     ///< it never looks inside
    Cut,         ///< a point where a UNet can be cut
    FirstBlock,  ///< a block in front that shows how much the others will change
};

/// A step cache with its settings in one run. Fields as they are made: none is connected.
struct ChosenCache {
    std::string label;  ///< "DeepCache, interval 3, depth 1"; empty: none
    CacheNeed need = CacheNeed::Nothing;
    bool sparesNothing = false;  ///< every call is computed: no byte differs from a run without it

    /// Whether it leaves out work somewhere in the run.
    [[nodiscard]] bool spares() const { return !label.empty() && !sparesNothing; }
};

/// A sampler in one run. Fields as they are made: the node has none.
struct ChosenSampler {
    std::string label;         ///< "Euler a"; empty: none
    bool isDistilled = false;  ///< for models that were distilled into a few steps
    bool drawsNoise = false;   ///< in its steps: ancestral ones, SDEs, eta above 0
    bool hasStages = false;    ///< some of its steps call the network several times
    int calls = 0;             ///< of the network
};

/// What a family states of a checkpoint's denoiser.
struct DenoiserTraits {
    bool canBeCut = false;
    bool hasFirstBlock = false;
    bool embedsGuidance = false;  ///< guidance is an input (time_cond_proj): distilled for LCM
};

/// What is chosen together for one component of one node. Fields as they are made ask nothing.
struct Combination {
    ComponentPrecision precision{};
    std::optional<Policy> policy{};
    ChosenCache cache{};
    ChosenSampler sampler{};
    DenoiserTraits denoiser{};
};

struct Judgement {
    Verdict verdict = Verdict::Ok;
    std::vector<Message> reasons{};  ///< sentences; empty: ok
    std::vector<Message> reuse{};    ///< those of `reasons` that a step cache is to blame for
    /// What a user should know that changes no verdict: the result is what was asked for.
    std::vector<Message> warnings{};
    Message hint{};                            ///< what to do about a refusal
    std::string item{};                        ///< port or parameter of a refusal
    ErrorKind kind = ErrorKind::InvalidInput;  ///< of a refusal
};

/// Network calls up to which a run counts as one of few steps.
inline constexpr int kFewCalls = 8;

/// The first refusal, else all that makes it lossy.
[[nodiscard]] Judgement judge(const Combination& combination);

/// As judge(), but throws what is refused: Error of the row's kind on its item, which names `node`.
Judgement requireAllowed(const Combination& combination, const std::string& node = {});

}  // namespace lowtide::memory
