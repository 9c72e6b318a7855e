#include "ui/panels/plan_view.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/panels/memory_line.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace lowtide::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("PlanView", text);
}

StageBar barOf(const Json& stage, const Json& held, const Json& stays) {
    StageBar bar{.node = textIn(stage, "node"),
                 .weights = bytesIn(held, "weights"),
                 .activations = bytesIn(held, "activations") + bytesIn(held, "workspace"),
                 .wires = bytesIn(held, "wires"),
                 .caches = bytesIn(held, "held"),
                 .staging = bytesIn(held, "staging"),
                 .moved = bytesIn(stage, "moved"),
                 .seconds = numberIn(stage, "seconds")};
    for (const Json& index : memberIn(stage, "stays")) {
        if (index.is_number_unsigned() && index.get<size_t>() < stays.size()) {
            const Json& stay = stays[index.get<size_t>()];
            bar.streamed += bytesIn(stay, "ring_bytes");
            bar.movedInPass += bytesIn(stay, "streamed_bytes_per_pass");
        }
    }
    bar.streamed = std::min(bar.streamed, bar.weights);
    return bar;
}

}  // namespace

const StageBar* PlanView::firstTooLarge() const {
    const auto found = std::find_if(stages.begin(), stages.end(), [this](const StageBar& stage) {
        return budget > 0 && stage.total() > budget;
    });
    return found == stages.end() ? nullptr : &*found;
}

int streamedPercent(const Json& plan, const std::string& device) {
    std::map<std::string, std::string> deviceOf;
    for (const Json& component : memberIn(plan, "components")) {
        deviceOf[textIn(component, "role")] = textIn(component, "device");
    }
    double streamed = 0;
    double all = 0;
    for (const Json& stay : memberIn(plan, "stays")) {
        if (deviceOf[textIn(stay, "role")] == device) {
            const double moved = numberIn(stay, "streamed_bytes_per_pass");
            streamed += moved;
            all += moved + numberIn(stay, "resident_bytes");
        }
    }
    return all > 0 ? static_cast<int>(std::lround(100 * streamed / all)) : 0;
}

std::optional<PlanView> planViewOf(const Json& plan) {
    const Json& devices = memberIn(plan, "devices");
    const Json& stages = memberIn(plan, "stages");
    const Json& stays = memberIn(plan, "stays");
    if (!devices.is_array() || devices.empty() || !stages.is_array() || !stays.is_array()) {
        return std::nullopt;
    }
    const Json& main = devices[0];
    PlanView view{.device = textIn(main, "device"),
                  .budget = bytesIn(main, "capacity"),
                  .peak = bytesIn(main, "peak"),
                  .minimum = bytesIn(main, "minimum"),
                  .isEstimated = memberIn(main, "estimated") == true,
                  .measuredOn = QString::fromStdString(textIn(main, "measured_on")),
                  .streamedPercent = streamedPercent(plan, textIn(main, "device"))};
    for (const Json& stage : stages) {
        const StageBar bar =
            barOf(stage, memberIn(memberIn(stage, "devices"), view.device.c_str()), stays);
        view.seconds += bar.seconds;
        if (bar.total() > 0) {
            view.stages.push_back(bar);
        } else if (memberIn(stage, "has_networks") == true) {
            view.elsewhere.push_back(bar.node);
        }
    }
    return view;
}

QString summaryOf(const PlanView& plan) {
    const QString needs = QString::fromStdString(formatBytes(plan.peak));
    QStringList parts = {
        plan.budget > 0
            ? tr("needs %1 of %2").arg(needs, QString::fromStdString(formatBytes(plan.budget)))
            : tr("needs %1").arg(needs)};
    if (plan.streamedPercent > 0) {
        parts.push_back(tr("streams %1 %").arg(plan.streamedPercent));
    }
    if (plan.seconds > 0) {
        parts.push_back(durationText(plan.seconds));
    }
    return parts.join(", ");
}

}  // namespace lowtide::ui
