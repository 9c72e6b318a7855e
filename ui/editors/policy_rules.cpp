#include "ui/editors/policy_rules.hpp"

#include "plugin/memory/combinations.hpp"

#include <array>
#include <utility>

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
    return QStringLiteral("%1; %2").arg(QString::fromStdString(judgement.reasons.front()),
                                        QString::fromStdString(judgement.hint));
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

QString sizeText(std::optional<Bytes> bytes) {
    if (!bytes) {
        return {};
    }
    constexpr std::array<std::pair<Bytes, const char*>, 3> kUnits = {
        {{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}}};
    for (const auto& [unit, name] : kUnits) {
        if (*bytes >= unit && *bytes % unit == 0) {
            return QStringLiteral("%1 %2").arg(*bytes / unit).arg(QLatin1String(name));
        }
    }
    return QString::number(*bytes);
}

}  // namespace lowtide::ui
