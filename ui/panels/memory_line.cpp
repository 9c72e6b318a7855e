#include "ui/panels/memory_line.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lowtide::ui {

namespace {

class MemoryWords {
    Q_DECLARE_TR_FUNCTIONS(MemoryLine)
};

MemoryLine refusedLine(const Issues& issues, const NodeNames& names) {
    const Issue* found = memoryRefusalIn(issues);
    if (!found) {
        return {};
    }
    const QString message = QString::fromStdString(found->message.str());
    const QString hint = QString::fromStdString(found->hint.str());
    const Json facts = factsOf(*found);
    const Bytes needed = bytesIn(facts, "needed");
    const QString node = names ? names(found->node) : QString::fromStdString(found->node);
    const Bytes capacity = bytesIn(facts, "capacity");
    const bool isOfBudget = found->code != "memory_infeasible";
    return {.text = isOfBudget     ? MemoryWords::tr("Does not fit: the memory budget")
                    : capacity > 0 ? MemoryWords::tr("Does not fit: %1 needs %2, %3 available")
                                         .arg(node, bytesText(needed), bytesText(capacity))
                    : needed > 0
                        ? MemoryWords::tr("Does not fit: %1 needs %2").arg(node, bytesText(needed))
                        : MemoryWords::tr("Does not fit: %1").arg(message),
            .detail = hint.isEmpty() ? message : message + QLatin1Char('\n') + hint,
            .fits = false};
}

}  // namespace

MemoryLine memoryLineOf(const Planned& planned, const NodeNames& names) {
    if (!planned.plan.is_object()) {
        return refusedLine(planned.issues, names);
    }
    const Json* device = mainDeviceOf(planned.plan);
    if (device == nullptr) {
        return {};
    }
    const QString card = QString::fromStdString(textIn(*device, "planned_for"));
    const QString need = partText(bytesIn(*device, "peak"), bytesIn(*device, "capacity"));
    QStringList parts = {card.isEmpty()
                             ? MemoryWords::tr("Needs %1").arg(need)
                             : MemoryWords::tr("Planned for %1: needs %2").arg(card, need)};
    if (const int percent = streamedPercent(planned.plan, textIn(*device, "device")); percent > 0) {
        parts.push_back(MemoryWords::tr("streams %1 %").arg(percent));
    }
    const bool isEstimated = memberIn(*device, "estimated") == true;
    const bool isRehearsal = memberIn(*device, "rehearsal") == true;
    const QString time = durationText(secondsOf(planned.plan));
    parts.push_back(isRehearsal && card.isEmpty() ? MemoryWords::tr("%1 on such a GPU").arg(time)
                    : isEstimated                 ? MemoryWords::tr("%1 (estimate)").arg(time)
                                                  : time);
    return {.text = parts.join(MemoryWords::tr(", ")),
            .detail =
                MemoryWords::tr("The most that %1 will hold, and its budget. %2")
                    .arg(card.isEmpty() ? deviceText(textIn(*device, "device")) : card,
                         !card.isEmpty()
                             ? MemoryWords::tr("The time is an estimate: the card need not be "
                                               "there, and nothing runs on it.")
                         : isRehearsal
                             ? MemoryWords::tr("The time is that of a GPU of the middle class. A "
                                               "rehearsal takes as long as a run on the CPU.")
                         : isEstimated
                             ? MemoryWords::tr("The time is an estimate that ranks plans: this "
                                               "device was not measured yet.")
                             : MemoryWords::tr("The time is from this device's measured speeds."))};
}

const Issue* memoryRefusalIn(const Issues& issues) {
    const auto found = std::ranges::find_if(issues, [](const Issue& issue) {
        return issue.code == "memory_infeasible" || issue.item == "memory_budget";
    });
    return found == issues.end() ? nullptr : &*found;
}

QString memoryRefusalText(const Issue& refusal, const NodeNames& names) {
    const Json facts = factsOf(refusal);
    const Bytes needed = bytesIn(facts, "needed");
    const Bytes capacity = bytesIn(facts, "capacity");
    if (refusal.code != "memory_infeasible" || needed <= 0 || capacity <= 0) {
        const QString message = asSentence(QString::fromStdString(refusal.message.str()));
        return refusal.hint.empty() ? message
                                    : message + QLatin1Char('\n') +
                                          asSentence(QString::fromStdString(refusal.hint.str()));
    }
    const QString device = deviceText(textIn(facts, "device"));
    QStringList sentences = {
        MemoryWords::tr("%1 needs %2; %3 are available (%4).", "a node, bytes, bytes, a device")
            .arg(names(refusal.node), bytesText(needed), bytesText(capacity), device)};
    if (const Bytes minimum = bytesIn(facts, "minimum"); minimum > needed) {
        sentences << MemoryWords::tr("The whole run needs at least %1.").arg(bytesText(minimum));
    }
    sentences << MemoryWords::tr("A smaller image or batch needs less.");
    return sentences.join(QLatin1Char('\n'));
}

QString partText(Bytes part, Bytes whole) {
    const bool isLarge = whole >= kGiB;
    const double unit = static_cast<double>(isLarge ? kGiB : kMiB);
    if (whole <= 0) {
        return bytesText(part);
    }
    if (part < static_cast<Bytes>(unit) / 10 || whole < 10 * kMiB) {
        return MemoryWords::tr("%1 of %2").arg(bytesText(part), bytesText(whole));
    }
    const int digits = isLarge ? 1 : 0;
    return MemoryWords::tr("%1 of %2 %3")
        .arg(static_cast<double>(part) / unit, 0, 'f', digits)
        .arg(static_cast<double>(whole) / unit, 0, 'f', isLarge ? 1 : 0)
        .arg(isLarge ? QStringLiteral("GiB") : QStringLiteral("MiB"));
}

}  // namespace lowtide::ui
