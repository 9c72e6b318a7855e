#include "ui/panels/plan_view.hpp"

#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace lowtide::ui {

namespace {

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
                  .measuredOn = QString::fromStdString(textIn(main, "measured_on"))};
    for (const Json& stage : stages) {
        const StageBar bar =
            barOf(stage, memberIn(memberIn(stage, "devices"), view.device.c_str()), stays);
        if (bar.total() > 0) {
            view.stages.push_back(bar);
        } else if (memberIn(stage, "has_networks") == true) {
            view.elsewhere.push_back(bar.node);
        }
    }
    return view;
}

}  // namespace lowtide::ui
