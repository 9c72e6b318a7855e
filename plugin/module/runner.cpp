#include "plugin/module/runner.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/interop/export.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/cards.hpp"
#include "plugin/module/compute_thread.hpp"
#include "plugin/tensor/value_codecs.hpp"

#include <algorithm>
#include <numeric>

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

/// The GPU that a plan is for; a rehearsed device with it states how large it is.
memory::Card cardOf(const std::string& as,
                    const std::optional<memory::DeviceSpec>& device,
                    std::span<const memory::Card> cards) {
    memory::Card card = memory::findCard(as, cards);
    if (!device) {
        return card;
    }
    if (!memory::deviceKind(device->kind).isRehearsed || !device->capacity) {
        throw Error(ErrorKind::InvalidInput,
                    message("a plan for the card {} is for no other device, such as {}",
                            card.name,
                            toText(*device)),
                    message("leave the device out, or give the card another size with fake:8GiB"),
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
                        message("a run cannot be recorded while it goes along a recorded one"),
                        message("leave \"dump\" or \"teacher\" out"));
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

namespace {

std::string issuesText(const Issues& issues) {
    return Json{{"issues", graph::toJson(issues)}}.dump();
}

Status statusOfIssues(const Issues& issues) {
    return std::any_of(issues.begin(), issues.end(), executor::isCancel) ? Status::Cancelled
           : graph::hasErrors(issues)                                    ? Status::Invalid
                                                                         : Status::Ok;
}

/// The snapshot's specs, or an issue.
std::variant<executor::GraphSpec, Issue> graphSpecOf(const RequestedGraph& request,
                                                     const graph::Snapshot& snapshot,
                                                     const executor::NodeTypes& types,
                                                     const StopToken& stop) {
    return executor::makeGraphSpec(
        snapshot, types, request.options.graphFolder, request.options.numerics, {}, stop);
}

/// By node, what hosts may show of its work.
Json factsOf(const graph::Snapshot& snapshot, const executor::GraphSpec& graphSpec) {
    Json facts = Json::object();
    for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
        if (const auto& own = graphSpec.work[i].facts) {
            facts[snapshot.nodes[i].id] = *own;
        }
    }
    return facts;
}

void addMarks(Issues& issues, const executor::GraphSpec& graphSpec) {
    issues.insert(issues.end(), graphSpec.marks.begin(), graphSpec.marks.end());
}

std::variant<memory::Plan, Issue> planOf(const RequestedGraph& request,
                                         const graph::Snapshot& snapshot,
                                         executor::GraphSpec& graphSpec,
                                         const executor::PlanBasis& basis) {
    auto devices = executor::openDevices(snapshot, request.options, basis.engine);
    if (auto* issue = std::get_if<Issue>(&devices)) {
        return std::move(*issue);
    }
    std::vector<size_t> positions(snapshot.nodes.size());
    std::iota(positions.begin(), positions.end(), size_t{0});
    return executor::planRun(snapshot,
                             graphSpec,
                             positions,
                             std::get<executor::RunDevices>(devices),
                             request.options,
                             basis);
}

std::vector<std::string> pathsOf(
    const std::vector<std::shared_ptr<const memory::ComponentTree>>& trees) {
    std::vector<std::string> paths;
    for (const auto& tree : trees) {
        for (const memory::WeightFile& file : tree->files) {
            paths.push_back(file.path);
        }
    }
    return paths;
}

}  // namespace

ModuleRunner::ModuleRunner(const executor::NodeTypes& types,
                           memory::Engine& engine,
                           RecorderSlot& slot,
                           int threads,
                           std::string keepFolder,
                           std::string cudnnApi,
                           CudaFacts cuda,
                           std::vector<memory::Card> cards,
                           interop::ClassTable classes,
                           std::shared_ptr<files::FileDigests> digests)
    : types_(types),
      engine_(engine),
      slot_(slot),
      numerics_(numericsText(threads)),
      cudnnApi_(std::move(cudnnApi)),
      cuda_(std::move(cuda)),
      cards_(std::move(cards)),
      classes_(std::move(classes)),
      digests_(std::move(digests)),
      queue_(types,
             engine,
             {.threadSetUp = [threads] { becomeRunThread(threads); },
              .keepFolder = std::move(keepFolder),
              .codecs = tensor::stageValueCodecs()}) {}

RequestedGraph ModuleRunner::requestOf(std::string_view graph, std::string_view options) const {
    RequestedGraph request = readRequest(graph, options, types_.catalog(), numerics_, cards_);
    if (request.options.card) {
        if (std::optional<Issue> warning = warningOf(*request.options.card)) {
            request.issues.push_back(std::move(*warning));
        }
    }
    return request;
}

std::shared_ptr<const graph::Snapshot> ModuleRunner::snapshotOf(
    const RequestedGraph& request) const {
    return executor::withRunDevices(graph::makeSnapshot(request.document, types_.catalog()),
                                    request.options,
                                    cuda_.capabilities);
}

std::vector<image::ImageText> ModuleRunner::foreignTextsOf(const graph::Snapshot& snapshot,
                                                           const RequestedGraph& request) const {
    graph::Document carried = graph::parseDocument(snapshot.graphText);  // without folders
    carried.until = request.document.until;
    return interop::textsForComfyUi(interop::exportGraph(carried, types_.catalog(), classes_),
                                    classes_);
}

Status ModuleRunner::check(std::string_view graph,
                           std::string_view options,
                           std::string& result) noexcept {
    return answer(result, [&] {
        const StopToken stop = newCall();
        RequestedGraph request = requestOf(graph, options);
        Json facts = Json::object();
        if (!graph::hasErrors(request.issues)) {
            const auto snapshot = snapshotOf(request);
            auto graphSpec = graphSpecOf(request, *snapshot, types_, stop);
            const auto* known = std::get_if<executor::GraphSpec>(&graphSpec);
            if (known) {
                addMarks(request.issues, *known);
                facts = factsOf(*snapshot, *known);
            }
            const std::optional<Issue> issue =
                known ? executor::openComponents(*snapshot, *known, stop)
                      : std::get<Issue>(graphSpec);
            if (issue) {
                request.issues.push_back(*issue);
            }
        }
        result =
            Json{{"issues", graph::toJson(request.issues)}, {"nodes", std::move(facts)}}.dump();
        return statusOfIssues(request.issues);
    });
}

Status ModuleRunner::plan(std::string_view graph,
                          std::string_view options,
                          std::string& result) noexcept {
    return answer(result, [&] {
        const StopToken stop = newCall();
        RequestedGraph request = requestOf(graph, options);
        const auto refuse = [&](Issue issue) {
            request.issues.push_back(std::move(issue));
            result = issuesText(request.issues);
            return statusOfIssues(request.issues);
        };
        if (graph::hasErrors(request.issues)) {
            result = issuesText(request.issues);
            return Status::Invalid;
        }
        const auto snapshot = snapshotOf(request);
        auto graphSpec = graphSpecOf(request, *snapshot, types_, stop);
        if (auto* issue = std::get_if<Issue>(&graphSpec)) {
            return refuse(std::move(*issue));
        }
        addMarks(request.issues, std::get<executor::GraphSpec>(graphSpec));
        std::variant<memory::Plan, Issue> plan;
        const bool called = queue_.tryCall([&] {
            executor::PlanBasis basis = queue_.planBasis();
            basis.stop = stop;
            plan = planOf(request, *snapshot, std::get<executor::GraphSpec>(graphSpec), basis);
        });
        if (!called) {
            return refuse({.code = "busy",
                           .message = message("a run is at work on the devices"),
                           .hint = message("plan again when it has finished")});
        }
        if (auto* issue = std::get_if<Issue>(&plan)) {
            return refuse(std::move(*issue));
        }
        Json planned = memory::toJson(std::get<memory::Plan>(plan));
        planned["precision"] = std::get<executor::GraphSpec>(graphSpec).precisions;
        if (request.options.card) {
            planned["card"] = plannedCard(*request.options.card, std::get<memory::Plan>(plan));
        }
        result =
            Json{{"issues", graph::toJson(request.issues)}, {"plan", std::move(planned)}}.dump();
        return Status::Ok;
    });
}

Status ModuleRunner::start(std::string_view graph,
                           std::string_view options,
                           Observer& observer,
                           RunId& run,
                           std::string& result) noexcept {
    return answer(result, [&] {
        RequestedGraph request = requestOf(graph, options);
        if (request.options.card) {
            request.issues.push_back(runRefusal(*request.options.card));
        }
        result = issuesText(request.issues);
        if (graph::hasErrors(request.issues)) {
            return Status::Invalid;
        }
        std::optional<tensor::RecordedTensors> teacher;
        if (!request.teacher.empty()) {
            teacher = tensor::readRecording(request.teacher);
        }
        auto recording = std::make_shared<RunRecording>(
            slot_, engine_.ledger(), request.dump, std::move(teacher), request.options.repeat);
        request.options.warnings = request.issues;
        const auto snapshot = snapshotOf(request);
        request.options.foreignTexts = foreignTextsOf(*snapshot, request);
        run = queue_.start({.snapshot = snapshot,
                            .options = request.options,
                            .observer = &observer,
                            .hooks = std::move(recording)});
        return Status::Ok;
    });
}

NodeWork ModuleRunner::workOf(std::string_view graph,
                              std::string_view options,
                              std::string_view node) {
    const StopToken stop = newCall();
    const RequestedGraph request = requestOf(graph, options);
    const auto snapshot = snapshotOf(request);
    const auto specs = graphSpecOf(request, *snapshot, types_, stop);
    stop.throwIfStopped();
    if (const auto* issue = std::get_if<Issue>(&specs)) {
        throw Error(
            ErrorKind::InvalidInput, message("{}: {}", issue->node, issue->message), issue->hint);
    }
    const auto& graphSpec = std::get<executor::GraphSpec>(specs);
    for (size_t i = 0; i < snapshot->nodes.size(); ++i) {
        if (snapshot->nodes[i].id == node && graphSpec.work[i].components) {
            return {.weights = digests_->of(pathsOf(graphSpec.work[i].components()), stop),
                    .key = graphSpec.keys[i]};
        }
    }
    throw Error(ErrorKind::InvalidInput, message("no node {} runs a network", quotedName(node)));
}

Status ModuleRunner::cancel(RunId run, CancelMode mode) noexcept {
    std::string ignored;
    return answer(ignored, [&] {
        if (run == 0) {
            cancelCalls();
            return Status::Ok;
        }
        return queue_.cancel(run, mode) ? Status::Ok : Status::Invalid;
    });
}

StopToken ModuleRunner::newCall() {
    const std::lock_guard lock(callsMutex_);
    return calls_.token();
}

/// Those that begin later go on.
void ModuleRunner::cancelCalls() {
    const std::lock_guard lock(callsMutex_);
    calls_.cancel(CancelMode::Now);
    calls_ = {};
}

Status ModuleRunner::wait(RunId run, std::string& result) noexcept {
    return answer(result, [&] {
        executor::RunResult ended = queue_.wait(run);
        ended.report["numerics"] = numerics_;
        ended.report["cudnnApi"] = cudnnApi_;
        result = ended.report.dump(-1, ' ', false, Json::error_handler_t::replace);
        return ended.status;
    });
}

Status ModuleRunner::memory(std::string& result) noexcept {
    return answer(result, [&] {
        result = memory::toJson(engine_.ledger().snapshot()).dump();
        return Status::Ok;
    });
}

Status ModuleRunner::release(std::string_view component) noexcept {
    std::string ignored;
    return answer(ignored, [&] {
        const bool called = queue_.tryCall([&] {
            engine_.release(component);
            if (component == "all") {
                queue_.cache().clear();
            }
        });
        return called ? Status::Ok : Status::Failed;
    });
}

Status ModuleRunner::devices(std::string& result) noexcept {
    return answer(result, [&] {
        std::vector<memory::DeviceInfo> found;
        if (!queue_.tryCall([&] { found = engine_.devices(); })) {
            throw Error(ErrorKind::Device,
                        message("a run is at work on the devices"),
                        message("ask again when it has finished"));
        }
        Json cards = Json::array();
        for (const memory::Card& card : cards_) {
            cards.push_back(listedCard(card));
        }
        result = Json{{"devices", executor::toJson(found)},
                      {"cards", std::move(cards)},
                      {"notes", {textOf(cuda_)}},
                      {"cuda", cuda_.json},
                      {"numerics", numerics_},
                      {"cudnnApi", cudnnApi_}}
                     .dump();
        return Status::Ok;
    });
}

Status ModuleRunner::stop() noexcept {
    std::string ignored;
    return answer(ignored, [&] {
        stopped_.cancel(CancelMode::Now);
        cancelCalls();
        queue_.stop();
        digests_->stop();
        return Status::Ok;
    });
}

}  // namespace lowtide::module
