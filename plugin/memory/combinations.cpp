#include "plugin/memory/combinations.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>
#include <array>

namespace lowtide::memory {

namespace {

using Applies = bool (*)(const Combination&);
using Sentence = Message (*)(const Combination&);

struct RefusalRow {
    Applies applies;
    Sentence reason;
    Phrase hint;
    const char* item;
    ErrorKind kind = ErrorKind::InvalidInput;
};

/// Of a loss, or of something to know.
struct RemarkRow {
    Applies applies;
    Sentence sentence;
};

bool lacks(const Combination& each, bool PlannerType::*ability) {
    const PlannerType* planner = each.policy ? findPlanner(each.policy->name) : nullptr;
    return planner && !(planner->*ability);
}

Message policyText(const Combination& each, const Message& why) {
    return message("the policy \"{}\" {}", toText(*each.policy), why);
}

constexpr RefusalRow kRefusals[] = {
    {.applies =
         [](const Combination& each) {
             return lacks(each, &PlannerType::mayStream) && each.policy->stream;
         },
     .reason =
         [](const Combination& each) {
             return policyText(
                 each,
                 each.policy->name == "auto"
                     ? message("cannot be made to stream; it streams where that is faster")
                     : message("has nothing that could be copied ahead"));
         },
     .hint = phrase("leave +stream out, or use leaf+stream"),
     .item = "memory"},
    {.applies =
         [](const Combination& each) {
             return lacks(each, &PlannerType::takesBudget) && each.policy->budget.has_value();
         },
     .reason =
         [](const Combination& each) {
             return policyText(each, message("takes no budget of its own"));
         },
     .hint = phrase("use leaf or block with a budget, or bound the run with --memory-budget"),
     .item = "memory"},
    {.applies =
         [](const Combination& each) {
             return lacks(each, &PlannerType::mayPin) && each.policy->pinCap.value_or(0) > 0;
         },
     .reason =
         [](const Combination& each) {
             return policyText(each,
                               message("brings every weight once, so there is nothing to pin"));
         },
     .hint = phrase("leave pin= out, or use leaf, block, sequential or auto with it"),
     .item = "memory"},
    {.applies =
         [](const Combination& each) {
             return lacks(each, &PlannerType::mayKeep) && each.policy->after == After::Keep;
         },
     .reason =
         [](const Combination& each) {
             return policyText(
                 each, message("never holds the whole component, so there is nothing to keep"));
         },
     .hint = phrase("use none, model or auto with after=keep"),
     .item = "memory"},
    {.applies =
         [](const Combination& each) {
             return each.cache.need == CacheNeed::Cut && !each.denoiser.canBeCut;
         },
     .reason =
         [](const Combination& each) {
             return message("{} needs a UNet, this model's denoiser has no point to cut",
                            each.cache.label);
         },
     .hint = phrase("take the step cache away, or use the step forecast, which fits every model"),
     .item = "step_cache",
     .kind = ErrorKind::Unsupported},
    {.applies =
         [](const Combination& each) {
             return each.cache.need == CacheNeed::FirstBlock && !each.denoiser.hasFirstBlock;
         },
     .reason =
         [](const Combination& each) {
             return message("{} needs a denoiser that states its first block, this one does not",
                            each.cache.label);
         },
     .hint = phrase("take the step cache away, or use the step forecast, which fits every model"),
     .item = "step_cache",
     .kind = ErrorKind::Unsupported},
    {.applies =
         [](const Combination& each) { return each.cache.spares() && each.sampler.isDistilled; },
     .reason =
         [](const Combination& each) {
             return message(
                 "a step cache reuses what neighbouring steps have in common, and {} takes a few "
                 "steps that have little in common",
                 each.sampler.label);
         },
     .hint = phrase("take the step cache away, or choose another sampler"),
     .item = "step_cache"},
};

constexpr RemarkRow kLosses[] = {
    {[](const Combination& each) { return each.cache.spares(); },
     [](const Combination& each) {
         return message("a step cache leaves work out: {}", each.cache.label);
     }},
    {[](const Combination& each) { return each.cache.spares() && each.sampler.drawsNoise; },
     [](const Combination& each) {
         return message("{} adds fresh noise in its steps, of which the cached work knows nothing",
                        each.sampler.label);
     }},
    {[](const Combination& each) { return each.cache.spares() && each.sampler.hasStages; },
     [](const Combination& each) {
         return message(
             "{} calls the network several times in a step, and a step cache counts calls: one "
             "stage is taken from another",
             each.sampler.label);
     }},
};

constexpr RemarkRow kWarnings[] = {
    {[](const Combination& each) {
         return each.denoiser.embedsGuidance && !each.sampler.label.empty() &&
                !each.sampler.isDistilled;
     },
     [](const Combination& each) {
         return message(
             "the checkpoint was distilled for LCM (its guidance is an input), and {} takes steps "
             "that it was not made for: choose the checkpoint's own sampler, with 4 to 8 steps",
             each.sampler.label);
     }},
    {[](const Combination& each) { return each.cache.spares() && each.denoiser.embedsGuidance; },
     [](const Combination&) {
         return message(
             "a step cache reuses what neighbouring steps have in common, and this checkpoint was "
             "distilled into a few steps that have little in common");
     }},
    {[](const Combination& each) {
         return each.cache.spares() && each.sampler.calls > 0 && each.sampler.calls <= kFewCalls;
     },
     [](const Combination& each) {
         return message(
             "a step cache has little to reuse in {} calls of the network, and next to nothing "
             "where the model was distilled into so few (turbo, lightning): compare with fewer "
             "steps and no cache",
             each.sampler.calls);
     }},
};

template <size_t kCount>
std::vector<Message> remarksOn(const Combination& combination, const RemarkRow (&rows)[kCount]) {
    std::vector<Message> remarks;
    for (const RemarkRow& row : rows) {
        if (row.applies(combination)) {
            remarks.push_back(row.sentence(combination));
        }
    }
    return remarks;
}

}  // namespace

Judgement judge(const Combination& combination) {
    const auto* refusal =
        std::find_if(std::begin(kRefusals), std::end(kRefusals), [&](const RefusalRow& row) {
            return row.applies(combination);
        });
    if (refusal != std::end(kRefusals)) {
        return {.verdict = Verdict::Refused,
                .reasons = {refusal->reason(combination)},
                .hint = refusal->hint,
                .item = refusal->item,
                .kind = refusal->kind};
    }
    Judgement judgement{.reasons = combination.precision.losses(),
                        .reuse = remarksOn(combination, kLosses),
                        .warnings = remarksOn(combination, kWarnings)};
    judgement.reasons.insert(
        judgement.reasons.end(), judgement.reuse.begin(), judgement.reuse.end());
    judgement.verdict = judgement.reasons.empty() ? Verdict::Ok : Verdict::Lossy;
    return judgement;
}

Judgement requireAllowed(const Combination& combination, const std::string& node) {
    Judgement judgement = judge(combination);
    if (judgement.verdict == Verdict::Refused) {
        const Message& reason = judgement.reasons.front();
        throw Error(judgement.kind,
                    node.empty() ? reason : message("node {}: {}", node, reason),
                    judgement.hint,
                    judgement.item);
    }
    return judgement;
}

}  // namespace lowtide::memory
