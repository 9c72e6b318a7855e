#include "service/own_api.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/image/image_file.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::service {

namespace {

constexpr int kPreviewQuality = 85;

Response noRun(const std::string& id) {
    return refusal(404,
                   "run_not_found",
                   message("there is no run {}", quotedName(id)),
                   message("GET /lowtide/v1/runs lists those that are kept"));
}

std::string textMember(const Json& body, const char* key) {
    const std::optional<std::string> value = JsonReader(body, "request").text(key);
    if (!value) {
        throw Error(ErrorKind::InvalidInput,
                    message("the request has no \"{}\"", key),
                    message("docs/serve.md has an example"),
                    key);
    }
    return *value;
}

Json graphMember(const Json& body) {
    const Json* const graph = JsonReader(body, "request").member("graph");
    if (!graph || !(graph->is_object() || graph->is_string())) {
        throw Error(ErrorKind::InvalidInput,
                    message("the request has no \"graph\""),
                    message("send a graph as an object or as a text"),
                    "graph");
    }
    return *graph;
}

Json optionsMember(const Json& body) {
    return body.value("options", Json::object());
}

Response refusedGraph(const Issues& issues) {
    return jsonResponse({{"issues", graph::toJson(issues)}}, 400);
}

}  // namespace

/// A client that hears of all runs, or of one.
class OwnSocket final : public SocketReader, public std::enable_shared_from_this<OwnSocket> {
public:
    OwnSocket(OwnApi& api, std::string run) : api_(api), run_(std::move(run)) {}

    void opened(const std::shared_ptr<Socket>& socket) override {
        const std::lock_guard lock(api_.mutex_);
        for (const Json& event : api_.queue_.events(run_, 0)) {
            socket->sendText(toText(event), Socket::Need::Always);
            ++seen_;
        }
        socket_ = socket;
        api_.sockets_.push_back(weak_from_this());
    }

    void text(const std::string& /*text*/) override {}

    void closed() override {
        const std::lock_guard lock(api_.mutex_);
        socket_.reset();
        std::erase_if(api_.sockets_, [&](const auto& other) {
            const auto kept = other.lock();
            return !kept || kept.get() == this;
        });
    }

    [[nodiscard]] bool hears(const std::string& run) const { return run_.empty() || run_ == run; }

    /// Whether opened() sent the event of that number.
    [[nodiscard]] bool hasSeen(int64_t number) const { return number >= 0 && number < seen_; }

    /// Under the lock of OwnApi.
    [[nodiscard]] std::shared_ptr<Socket> socket() const { return socket_; }

private:
    OwnApi& api_;
    const std::string run_;
    std::shared_ptr<Socket> socket_;
    int64_t seen_ = 0;  ///< events that had come before it
};

OwnApi::OwnApi(Plugin& plugin,
               const GraphIntake& intake,
               const ServiceFolders& folders,
               RunQueue& queue,
               Router& router)
    : plugin_(plugin),
      runner_(*plugin.runner()),
      intake_(intake),
      folders_(folders),
      queue_(queue) {
    addModuleRoutes(router);
    addRunRoutes(router);
    addFileRoutes(router);
    queue.listen(*this);
}

OwnApi::~OwnApi() = default;

void OwnApi::addModuleRoutes(Router& router) {
    router.add("GET", "/lowtide/v1", [this](const Request&, const PathValues&) {
        return jsonResponse({{"protocol", 1},
                             {"module", Json::parse(plugin_.info())},
                             {"remaining", queue_.remaining()}});
    });
    router.add("GET", "/lowtide/v1/nodes", [this](const Request&, const PathValues&) {
        Json nodes = Json::array();
        for (const NodeDesc& node : plugin_.nodes()) {
            nodes.push_back(graph::toJson(node));
        }
        return jsonResponse({{"nodes", nodes}});
    });
    router.add("GET", "/lowtide/v1/devices", [this](const Request&, const PathValues&) {
        const auto [status, result] =
            answerOf([&](std::string& text) { return runner_.devices(text); });
        return answerResponse(status, result);
    });
    router.add("GET", "/lowtide/v1/memory", [this](const Request&, const PathValues&) {
        const auto [status, result] =
            answerOf([&](std::string& text) { return runner_.memory(text); });
        return answerResponse(status, result);
    });
    router.add("GET", "/lowtide/v1/models", [this](const Request&, const PathValues&) {
        return jsonResponse({{"models", modelNames(folders_)}});
    });
    router.add("POST", "/lowtide/v1/release", [this](const Request& request, const PathValues&) {
        return released(request);
    });
    router.add("POST", "/lowtide/v1/recognise", [this](const Request& request, const PathValues&) {
        return recognised(request);
    });
    router.add("POST", "/lowtide/v1/import", [this](const Request& request, const PathValues&) {
        const auto [status, result] = intake_.imported(request.body);
        return answerResponse(status, result);
    });
    router.add("POST", "/lowtide/v1/export", [this](const Request& request, const PathValues&) {
        return exported(request);
    });
}

void OwnApi::addRunRoutes(Router& router) {
    router.add("POST", "/lowtide/v1/check", [this](const Request& request, const PathValues&) {
        return looked(request, false);
    });
    router.add("POST", "/lowtide/v1/plan", [this](const Request& request, const PathValues&) {
        return looked(request, true);
    });
    router.add("POST", "/lowtide/v1/runs", [this](const Request& request, const PathValues&) {
        return added(request);
    });
    router.add("GET", "/lowtide/v1/runs", [this](const Request&, const PathValues&) {
        Json runs = Json::array();
        for (const StoredRun& run : queue_.list()) {
            runs.push_back(runJson(run, folders_));
        }
        return jsonResponse({{"runs", runs}});
    });
    router.add("GET", "/lowtide/v1/runs/{}", [this](const Request&, const PathValues& values) {
        const std::optional<StoredRun> run = queue_.find(values[0]);
        return run ? jsonResponse(runJson(*run, folders_)) : noRun(values[0]);
    });
    router.add("DELETE", "/lowtide/v1/runs/{}", [this](const Request&, const PathValues& values) {
        if (queue_.remove(values[0])) {
            return emptyResponse(204);
        }
        return queue_.find(values[0]) ? refusal(409,
                                                "run_at_work",
                                                message("run {} is at work", quotedName(values[0])),
                                                message("cancel it first"))
                                      : noRun(values[0]);
    });
    router.add("POST",
               "/lowtide/v1/runs/{}/cancel",
               [this](const Request& request, const PathValues& values) {
                   return cancelled(request, values[0]);
               });
    router.add("GET",
               "/lowtide/v1/runs/{}/events",
               [this](const Request& request, const PathValues& values) {
                   const size_t first = countIn(request.parameter("from")).value_or(0);
                   return queue_.find(values[0])
                              ? jsonResponse(
                                    {{"from", first}, {"events", queue_.events(values[0], first)}})
                              : noRun(values[0]);
               });
    router.add(
        "GET", "/lowtide/v1/runs/{}/report", [this](const Request&, const PathValues& values) {
            const Json report = queue_.report(values[0]);
            return report.is_null()
                       ? refusal(404,
                                 "report_not_found",
                                 message("there is no report of run {}", quotedName(values[0])),
                                 message("a run has one when it has ended; those of the newest {} "
                                         "are kept",
                                         RunQueue::kMostReports))
                       : jsonResponse(report);
        });
}

void OwnApi::addFileRoutes(Router& router) {
    router.add("GET",
               "/lowtide/v1/runs/{}/files/{}",
               [this](const Request& request, const PathValues& values) {
                   return downloaded(request, values);
               });
    router.add(
        "PUT", "/lowtide/v1/inputs/{}", [this](const Request& request, const PathValues& values) {
            return uploaded(request, values[0]);
        });
}

Response OwnApi::looked(const Request& request, bool isPlan) const {
    const Json body = bodyObject(request);
    const TakenGraph taken = intake_.take(graphMember(body), optionsMember(body));
    if (!taken.issues.empty()) {
        return refusedGraph(taken.issues);
    }
    auto [status, result] = answerOf([&](std::string& text) {
        const std::string options = taken.options.dump();
        return isPlan ? runner_.plan(taken.graph, options, text)
                      : runner_.check(taken.graph, options, text);
    });
    if (!taken.imported.is_null()) {
        result["imported"] = taken.imported;
    }
    return answerResponse(status, result);
}

Response OwnApi::added(const Request& request) {
    const Json body = bodyObject(request);
    requireKnownKeys(body, "request", std::vector<std::string_view>{"graph", "options", "first"});
    TakenGraph taken = intake_.take(graphMember(body), optionsMember(body));
    if (!taken.issues.empty()) {
        return refusedGraph(taken.issues);
    }
    const StoredRun run =
        queue_.add({.graph = std::move(taken.graph),
                    .options = std::move(taken.options),
                    .isFirst = JsonReader(body, "request").boolean("first").value_or(false)});
    Json json = runJson(run, folders_);
    if (!taken.imported.is_null()) {
        json["imported"] = taken.imported;
    }
    return jsonResponse(json, 201);
}

Response OwnApi::cancelled(const Request& request, const std::string& id) {
    const Json body = bodyObject(request);
    const std::string mode = JsonReader(body, "request").text("mode").value_or("now");
    if (mode != "now" && mode != "after_this_image") {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no way to cancel {}", quotedName(mode)),
                    message("use now or after_this_image"),
                    "mode");
    }
    if (queue_.cancel(id, mode == "now" ? CancelMode::Now : CancelMode::AfterThisImage)) {
        return emptyResponse(202);
    }
    return queue_.find(id) ? refusal(409, "run_ended", message("run {} has ended", quotedName(id)))
                           : noRun(id);
}

Response OwnApi::released(const Request& request) const {
    const Json body = bodyObject(request);
    const JsonReader reader(body, "request");
    const std::string component = reader.text("component").value_or("all");
    const bool isUnloaded = reader.boolean("unload").value_or(false);
    const Status status = isUnloaded ? call(plugin_, "unload", {{"component", component}}).status
                                     : runner_.release(component);
    return status == Status::Ok ? emptyResponse(204)
                                : refusal(409,
                                          "run_at_work",
                                          message("a run is at work on the devices"),
                                          message("ask again when it has ended"));
}

Response OwnApi::recognised(const Request& request) const {
    const std::string name = textMember(bodyObject(request), "path");
    std::string path = name;
    if (!std::filesystem::path(name).is_absolute()) {
        for (const ui::ModelFolder& folder : folders_.models) {
            const std::optional<std::string> here = pathBelow(folder.path, name);
            std::error_code ignored;
            if (here && std::filesystem::exists(*here, ignored)) {
                path = *here;
                break;
            }
        }
    }
    if (path != "builtin:mini" && !isBelowAny(folders_, path)) {
        return refusal(404,
                       "path_outside",
                       message("{} is in none of the folders of this service", quotedName(name)),
                       message("name a file as GET /lowtide/v1/models does"));
    }
    const auto [status, result] = call(plugin_, "recognise", {{"path", path}});
    return answerResponse(status, result);
}

Response OwnApi::exported(const Request& request) const {
    const Json graph = graphMember(bodyObject(request));
    const auto [status, result] =
        call(plugin_,
             "exportGraph",
             {{"graph", graph.is_string() ? graph.get<std::string>() : graph.dump()}});
    return answerResponse(status, result);
}

Response OwnApi::downloaded(const Request& request, const PathValues& values) const {
    const std::optional<StoredRun> run = queue_.find(values[0]);
    const std::optional<uint64_t> index = countIn(values[1]);
    const Json files = run ? run->result.value("files", Json::array()) : Json::array();
    const std::string path =
        index && *index < files.size() ? files[*index].value("path", std::string()) : std::string();
    return path.empty() || !isBelow(folders_.out, path)
               ? refusal(
                     404,
                     "file_not_found",
                     message("run {} has no file {}", quotedName(values[0]), quotedName(values[1])),
                     message("GET /lowtide/v1/runs/ID lists them with their addresses"))
               : fileResponse(path, request.header("range"));
}

Response OwnApi::uploaded(const Request& request, const std::string& name) const {
    const std::optional<std::string> path = pathBelow(folders_.input, name);
    if (!path) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is no name of a file", quotedName(name)),
                    message("use letters, digits, - and _, and %2F for a folder"));
    }
    files::makeFolders(files::folderOf(*path));
    files::writeFileAtomically(*path, request.body);
    return jsonResponse({{"name", name}, {"bytes", request.body.size()}}, 201);
}

std::shared_ptr<SocketReader> OwnApi::reader(const Request& request) {
    return request.path == std::vector<std::string>{"lowtide", "v1", "events"}
               ? std::make_shared<OwnSocket>(*this, request.parameter("run"))
               : nullptr;
}

void OwnApi::queueChanged(size_t remaining) {
    send(
        {}, Json{{"event", "queueChanged"}, {"remaining", remaining}}.dump(), Socket::Need::Always);
}

void OwnApi::started(const StoredRun& /*run*/) {}

void OwnApi::event(const StoredRun& run, const Json& event) {
    const std::string text = toText(event);
    send(run.id,
         text,
         mayBeMissed(text) ? Socket::Need::MayBeMissed : Socket::Need::Always,
         event.value("number", int64_t{-1}));
}

void OwnApi::image(const StoredRun& run, const Json& nodePreview, const Image8& image) {
    const auto sockets = socketsOf(run.id);
    if (sockets.empty()) {
        return;
    }
    const EncodedImage encoded = encodedPreview(image);
    Json about = nodePreview;
    about["type"] = encoded.isPng ? "image/png" : "image/jpeg";
    const std::string header = about.dump();
    const std::string frame =
        bigEndian(static_cast<uint32_t>(header.size())) + header + encoded.bytes;
    const std::lock_guard lock(mutex_);
    for (const auto& socket : sockets) {
        if (socket->socket()) {
            socket->socket()->sendBytes(frame, Socket::Need::MayBeMissed);
        }
    }
}

void OwnApi::ended(const StoredRun& /*run*/, Json& /*result*/) {}

void OwnApi::settled(const StoredRun& run) {
    Json event = runJson(run, folders_);
    event["event"] = "runKept";
    event["run"] = run.id;
    send(run.id, toText(event), Socket::Need::Always);
}

void OwnApi::send(const std::string& run,
                  const std::string& text,
                  Socket::Need need,
                  int64_t number) {
    const auto sockets = socketsOf(run);
    const std::lock_guard lock(mutex_);
    for (const auto& socket : sockets) {
        if (socket->socket() && !socket->hasSeen(number)) {
            socket->socket()->sendText(text, need);
        }
    }
}

std::vector<std::shared_ptr<OwnSocket>> OwnApi::socketsOf(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<OwnSocket>> sockets;
    for (const auto& known : sockets_) {
        if (const auto socket = known.lock(); socket && socket->hears(run)) {
            sockets.push_back(socket);
        }
    }
    return sockets;
}

Json runJson(const StoredRun& run, const ServiceFolders& folders) {
    Json json = {{"id", run.id},
                 {"number", numberJson(run.number)},
                 {"state", nameOf(run.state)},
                 {"created", run.created},
                 {"started", run.started},
                 {"ended", run.ended},
                 {"issues", run.result.value("issues", Json::array())},
                 {"files", Json::array()}};
    for (const char* key : {"ms", "executed"}) {
        if (run.result.contains(key)) {
            json[key] = run.result.at(key);
        }
    }
    for (const Json& file : run.result.value("files", Json::array())) {
        const auto path = file.value("path", std::string());
        json["files"].push_back(
            {{"node", file.value("node", std::string())},
             {"name", isBelow(folders.out, path) ? path.substr(folders.out.size() + 1) : path},
             {"address",
              "/lowtide/v1/runs/" + run.id + "/files/" + std::to_string(json["files"].size())}});
    }
    return json;
}

EncodedImage encodedPreview(const Image8& image) {
    const bool isPng = image.channels == 4;
    return {.bytes = image::encodeImage(
                image,
                {},
                {.format = isPng ? image::ImageFormat::Png : image::ImageFormat::Jpeg,
                 .quality = kPreviewQuality}),
            .isPng = isPng};
}

std::string bigEndian(uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift & 0xFF);
    }
    return bytes;
}

}  // namespace lowtide::service
