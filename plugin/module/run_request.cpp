#include "plugin/module/run_request.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json_options.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/validate.hpp"
#include "plugin/memory/device_kind.hpp"

namespace lowtide::module {

namespace {

constexpr int64_t kMostRepetitions = 100000;
constexpr std::string_view kOptions[] = {"graphFolder",
                                         "out",
                                         "device",
                                         "as",
                                         "memoryBudget",
                                         "set",
                                         "policies",
                                         "precisions",
                                         "exact",
                                         "until",
                                         "repeat",
                                         "timeline",
                                         "dump",
                                         "teacher",
                                         "forceExecution",
                                         "gcThreshold",
                                         "lowMemory",
                                         "previews"};

/// The card that a plan is for; a rehearsed device beside it says how large it is.
memory::Card cardOf(const std::string& as,
                    const std::optional<memory::DeviceSpec>& device,
                    std::span<const memory::Card> cards) {
    memory::Card card = memory::findCard(as, cards);
    if (!device) {
        return card;
    }
    if (!memory::deviceKind(device->kind).isRehearsed || !device->capacity) {
        throw Error(ErrorKind::InvalidInput,
                    "a plan for the card " + card.name + " is for no other device, such as " +
                        toText(*device),
                    "leave the device out, or give the card another size with fake:8GiB",
                    "device");
    }
    card.memory = *device->capacity;
    card.driver = 0;
    return card;
}

}  // namespace

RequestedGraph readRequest(std::string_view graphText,
                           std::string_view optionsText,
                           const graph::Catalog& catalog,
                           const std::string& numerics,
                           std::span<const memory::Card> cards) {
    const Json json = parseJson(optionsText.empty() ? "{}" : optionsText, "options");
    const JsonReader reader(json, "options");
    requireKnownKeys(json, "options", kOptions);
    RequestedGraph request;
    request.options.numerics = numerics;
    request.options.graphFolder = reader.text("graphFolder").value_or("");
    request.options.outputFolder = reader.text("out").value_or(".");
    request.options.repeat =
        static_cast<int>(integerWithin(reader, "repeat", 1, kMostRepetitions).value_or(1));
    request.options.timelineFile = reader.text("timeline").value_or("");
    request.dump = reader.text("dump").value_or("");
    request.teacher = reader.text("teacher").value_or("");
    request.options.forceExecution = reader.boolean("forceExecution").value_or(false) ||
                                     !request.dump.empty() || !request.teacher.empty();
    if (!request.teacher.empty()) {
        if (!request.dump.empty()) {
            throw Error(ErrorKind::InvalidInput,
                        "a run cannot be recorded while it goes along a recorded one",
                        "leave \"dump\" or \"teacher\" out");
        }
        request.options.numerics += "; teacher-forced";  // its results are those of the other run
    }
    if (const auto device = reader.text("device")) {
        request.options.device = memory::parseDeviceSpec(*device);
    }
    if (const auto as = reader.text("as")) {
        request.options.card = cardOf(*as, request.options.device, cards);
        request.options.device.reset();
    }
    if (const auto budget = reader.text("memoryBudget")) {
        request.options.memoryBudget = memory::parseMemoryBudget(*budget);
    }
    if (const auto threshold = reader.integer("gcThreshold")) {
        request.options.collectionThreshold =
            memory::checkedThreshold(*threshold, "the threshold of collections");
    }
    if (const auto lowMemory = reader.text("lowMemory")) {
        request.options.lowMemory = memory::parseLowMemory(*lowMemory);
    }
    request.options.previews = reader.boolean("previews").value_or(false);
    request.document = graph::applyOverrides(
        graph::parseDocument(graphText),
        catalog,
        {.params = reader.texts("set").value_or(std::vector<std::string>{}),
         .policies = reader.texts("policies").value_or(std::vector<std::string>{}),
         .until = reader.texts("until").value_or(std::vector<std::string>{}),
         .precisions = reader.texts("precisions").value_or(std::vector<std::string>{}),
         .isExact = reader.boolean("exact").value_or(false)});
    request.issues = graph::validate(request.document, catalog);
    return request;
}

}  // namespace lowtide::module
