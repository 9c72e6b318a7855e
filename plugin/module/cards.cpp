#include "plugin/module/cards.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/module/os.hpp"
#include "plugin/residency/device/cuda/cuda_driver.hpp"

#include <algorithm>
#include <array>

namespace lowtide::module {

namespace {

constexpr Bytes kMostCardBytes = kMiB;

Bytes mostGuessed(const memory::Plan& plan) {
    Bytes most = 0;
    for (const memory::StagePlan& stage : plan.stages) {
        for (const memory::StageBytes& bytes : stage.bytes) {
            most = std::max(most, bytes.guessed);
        }
    }
    return most;
}

}  // namespace

std::vector<memory::Card> knownCards(const std::string& path) {
    constexpr const char* kWhat = "cards/cards.json";
    return memory::readCards(parseJson(files::InputFile(path).readAll(kMostCardBytes), kWhat),
                             kWhat);
}

std::optional<Issue> warningOf(const memory::Card& card) {
    const Message problem = residency::capabilityProblem(card.name, card.capability);
    if (problem.empty()) {
        return std::nullopt;
    }
    return Issue{.severity = Severity::Warning,
                 .code = "card_too_old",
                 .message = message("{}: this plan could not be run there", problem),
                 .hint = message("choose a newer card")};
}

Issue runRefusal(const memory::Card& card) {
    return {.code = "card_planned_for",
            .message = message("{} is only planned for, so nothing can run on it", card.name),
            .hint = message(
                "choose a device of this machine, or rehearse a card of that size: fake:{}GiB",
                card.memory / kGiB)};
}

Json listedCard(const memory::Card& card) {
    Json json = memory::toJson(card);
    putMessage(json, "problem", residency::capabilityProblem(card.name, card.capability));
    return json;
}

Json plannedCard(const memory::Card& card, const memory::Plan& plan) {
    Json json = memory::toJson(card);
    const std::array<Message, 3> estimates = {
        message("seconds"),
        message("workspaces of convolutions (up to {})", formatBytes(mostGuessed(plan))),
        message("what driver and CUDA keep ({})", formatBytes(card.driver))};
    putMessages(json, "estimates", estimates);
    return json;
}

std::string chooseCudnnApi(const std::string& name, const std::string& problem) {
    // Read once by LibTorch: ATen/native/ConvUtils.h, cudnnv8_enabled_check_debug.
    constexpr const char* kDisablesV8 = "TORCH_CUDNN_V8_API_DISABLED";
    if (name != "auto" && name != "v7" && name != "v8") {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no cuDNN API \"{}\"", name),
                    message("choose auto, v7 or v8"));
    }
    if (name != "auto") {
        setEnvironment(kDisablesV8, name == "v7" ? "1" : "0");
    }
    return problem.empty() ? name : name + ": not applicable here, " + problem;
}

}  // namespace lowtide::module
