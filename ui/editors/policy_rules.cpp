#include "ui/editors/policy_rules.hpp"

#include "plugin/memory/combinations.hpp"
#include "ui/language/module_texts.hpp"

namespace lowtide::ui {

namespace {

/// Asks about the policy with nothing else that could be refused.
memory::Policy bare(const memory::Policy& policy) {
    memory::Policy bare;
    bare.name = policy.name;
    return bare;
}

QString refusalOf(const memory::Policy& policy) {
    const memory::Judgement judgement = memory::judge({.policy = policy});
    if (judgement.verdict != memory::Verdict::Refused) {
        return {};
    }
    return joinedSentences(
        moduleSentence(judgement.reasons.front()), moduleSentence(judgement.hint), "; ");
}

}  // namespace

QString streamRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.stream = true;
    return refusalOf(policy);
}

QString budgetRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.budget = kGiB;
    return refusalOf(policy);
}

QString keepRefusal(memory::Policy policy) {
    policy = bare(policy);
    policy.after = memory::After::Keep;
    return refusalOf(policy);
}

memory::Policy withoutRefused(memory::Policy policy) {
    policy.stream = policy.stream && streamRefusal(policy).isEmpty();
    if (!budgetRefusal(policy).isEmpty()) {
        policy.budget.reset();
    }
    if (policy.after == memory::After::Keep && !keepRefusal(policy).isEmpty()) {
        policy.after = memory::After::Evict;
    }
    if (policy.name != "block") {
        policy.blocksPerGroup = 1;
    }
    return policy;
}

}  // namespace lowtide::ui
