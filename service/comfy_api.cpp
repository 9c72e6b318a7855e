#include "service/comfy_api.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/image/image_file.hpp"
#include "service/comfy_prompt.hpp"
#include "service/own_api.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace lowtide::service {

namespace {

constexpr int64_t kMostUploadBytes = 100 << 20;
constexpr size_t kMostShown = 256;  ///< images of earlier runs that a client may get again
constexpr uint32_t kPlainPreview = 1;
constexpr uint32_t kNamedPreview = 4;
constexpr uint32_t kJpeg = 1;
constexpr uint32_t kPng = 2;

Json featureFlags() {
    return {{"supports_preview_metadata", true}, {"max_upload_size", kMostUploadBytes}};
}

bool isOfComfy(const StoredRun& run) {
    return run.asked.is_object();
}

std::string clientOf(const StoredRun& run) {
    return isOfComfy(run) ? run.asked.at("extra_data").value("client_id", std::string()) : "";
}

Json queueItem(const StoredRun& run) {
    return Json::array({numberJson(run.number),
                        run.id,
                        run.asked.at("prompt"),
                        run.asked.at("extra_data"),
                        run.asked.at("outputs")});
}

/// Ids of a list in a body.
std::vector<std::string> idsIn(const Json& body, const char* key) {
    return JsonReader(body, "request").texts(key).value_or(std::vector<std::string>());
}

bool isSet(const Json& body, const char* key) {
    return JsonReader(body, "request").boolean(key).value_or(false);
}

}  // namespace

class ComfySocket final : public SocketReader {
public:
    ComfySocket(ComfyApi& api, std::string id) : api_(api), id_(std::move(id)) {}

    void opened(const std::shared_ptr<Socket>& socket) override {
        socket_ = socket;
        api_.opened(id_, socket);
    }

    /// The first message may state what the client can read.
    void text(const std::string& text) override {
        if (std::exchange(hasSpoken_, true)) {
            return;
        }
        const Json message = Json::parse(text, nullptr, false);
        if (!message.is_object() || message.value("type", Json()) != "feature_flags") {
            hasSpoken_ = message.is_discarded() ? false : hasSpoken_;
            return;
        }
        const Json flags = message.value("data", Json::object());
        const std::lock_guard lock(api_.mutex_);
        const auto client = api_.clients_.find(id_);
        if (client != api_.clients_.end() && client->second.socket == socket_) {
            client->second.takesFields =
                flags.is_object() && flags.value("supports_preview_metadata", Json()) == true;
        }
        socket_->sendText(Json{{"type", "feature_flags"}, {"data", featureFlags()}}.dump(),
                          Socket::Need::Always);
    }

    void closed() override {
        const std::lock_guard lock(api_.mutex_);
        const auto client = api_.clients_.find(id_);
        if (client != api_.clients_.end() && client->second.socket == socket_) {
            api_.clients_.erase(client);
        }
        socket_.reset();
    }

private:
    ComfyApi& api_;
    const std::string id_;
    std::shared_ptr<Socket> socket_;
    bool hasSpoken_ = false;
};

ComfyApi::ComfyApi(Plugin& plugin,
                   const GraphIntake& intake,
                   const ServiceFolders& folders,
                   RunQueue& queue,
                   Router& router,
                   const std::string& resources)
    : plugin_(plugin),
      runner_(*plugin.runner()),
      intake_(intake),
      folders_(folders),
      queue_(queue),
      files_(folders, router),
      nodes_(intake.catalog(), folders, resources) {
    addQueueRoutes(router);
    addFixedRoutes(router);
    queue.listen(*this);
}

ComfyApi::~ComfyApi() = default;

void ComfyApi::addQueueRoutes(Router& router) {
    router.add("GET", "/prompt", [this](const Request&, const PathValues&) {
        return jsonResponse({{"exec_info", {{"queue_remaining", queue_.remaining()}}}});
    });
    router.add("POST", "/prompt", [this](const Request& request, const PathValues&) {
        return prompted(request);
    });
    router.add("GET", "/queue", [this](const Request&, const PathValues&) { return queued(); });
    router.add("POST", "/queue", [this](const Request& request, const PathValues&) {
        return queueEdited(request);
    });
    router.add("GET", "/history", [this](const Request& request, const PathValues&) {
        return history(request, {});
    });
    router.add("GET", "/history/{}", [this](const Request& request, const PathValues& values) {
        return history(request, values[0]);
    });
    router.add("POST", "/history", [this](const Request& request, const PathValues&) {
        return historyEdited(request);
    });
    router.add("POST", "/interrupt", [this](const Request& request, const PathValues&) {
        return interrupted(request);
    });
    router.add("POST", "/free", [this](const Request& request, const PathValues&) {
        return freed(request);
    });
}

void ComfyApi::addFixedRoutes(Router& router) {
    router.add("GET", "/object_info", [this](const Request&, const PathValues&) {
        return jsonResponse(nodes_.all());
    });
    router.add("GET", "/object_info/{}", [this](const Request&, const PathValues& values) {
        return jsonResponse(nodes_.one(values[0]));
    });
    router.add("GET", "/system_stats", [this](const Request&, const PathValues&) {
        return systemStats();
    });
    const auto fixed = [&router](const char* path, const Json& json) {
        router.add(
            "GET", path, [json](const Request&, const PathValues&) { return jsonResponse(json); });
    };
    fixed("/features", featureFlags());
    fixed("/extensions", Json::array());
    fixed("/i18n", Json::object());
    fixed("/workflow_templates", Json::object());
    fixed("/templates/index.json", Json::array());
    fixed("/global_subgraphs", Json::object());
    fixed("/experiment/models", Json::array());
}

Response ComfyApi::prompted(const Request& request) {
    const Json body = bodyJson(request);
    TakenPrompt taken = takePrompt(body, intake_, nodes_, runner_);
    if (taken.refused) {
        return *taken.refused;
    }
    const JsonReader reader(body, "prompt");
    Json extra = body.value("extra_data", Json::object());
    if (!extra.is_object()) {
        extra = Json::object();
    }
    extra.erase("auth_token_comfy_org");
    extra.erase("api_key_comfy_org");
    extra.erase("client_id");
    if (const auto client = reader.text("client_id")) {
        extra["client_id"] = *client;
    }
    extra["create_time"] = nowMilliseconds();
    const StoredRun run = queue_.add({.graph = std::move(taken.graph),
                                      .options = std::move(taken.options),
                                      .asked = {{"prompt", body.at("prompt")},
                                                {"extra_data", std::move(extra)},
                                                {"outputs", std::move(taken.outputs)}},
                                      .id = reader.text("prompt_id").value_or(""),
                                      .isFirst = reader.boolean("front").value_or(false),
                                      .number = reader.number("number")});
    return jsonResponse({{"prompt_id", run.id},
                         {"number", numberJson(run.number)},
                         {"node_errors", taken.nodeErrors}});
}

Response ComfyApi::queued() const {
    Json running = Json::array();
    Json pending = Json::array();
    for (const StoredRun& run : queue_.list()) {
        if (isOfComfy(run) && run.state == RunState::Running) {
            running.push_back(queueItem(run));
        } else if (isOfComfy(run) && run.state == RunState::Waiting) {
            pending.push_back(queueItem(run));
        }
    }
    return jsonResponse({{"queue_running", running}, {"queue_pending", pending}});
}

Response ComfyApi::queueEdited(const Request& request) {
    const Json body = bodyObject(request);
    const std::vector<std::string> ids = idsIn(body, "delete");
    const bool isCleared = isSet(body, "clear");
    for (const StoredRun& run : queue_.list()) {
        const bool isNamed = isCleared || std::ranges::find(ids, run.id) != ids.end();
        if (isOfComfy(run) && run.state == RunState::Waiting && isNamed) {
            queue_.remove(run.id);
        }
    }
    return emptyResponse();
}

Response ComfyApi::history(const Request& request, const std::string& id) const {
    std::vector<StoredRun> runs;
    if (id.empty()) {
        runs = queue_.list();
    } else if (std::optional<StoredRun> run = queue_.find(id)) {
        runs.push_back(std::move(*run));
    }
    std::erase_if(runs, [](const StoredRun& run) { return !run.result.contains("comfyui"); });
    const size_t most = countIn(request.parameter("max_items")).value_or(runs.size());
    const size_t behind = runs.size() > most ? runs.size() - most : 0;
    const size_t first =
        std::min(countIn(request.parameter("offset")).value_or(behind), runs.size());
    // Clients rely on the order of keys, oldest first, which Json would sort.
    std::string text = "{";
    for (size_t i = first; i < runs.size() && i - first < most; ++i) {
        Json entry = runs[i].result.at("comfyui");
        entry["prompt"] = queueItem(runs[i]);
        text += (text.size() > 1 ? "," : "") + Json(runs[i].id).dump() + ":" + toText(entry);
    }
    return {.type = "application/json; charset=utf-8", .body = text + "}"};
}

Response ComfyApi::historyEdited(const Request& request) {
    const Json body = bodyObject(request);
    const std::vector<std::string> ids = idsIn(body, "delete");
    const bool isCleared = isSet(body, "clear");
    for (const StoredRun& run : queue_.list()) {
        const bool isNamed = isCleared || std::ranges::find(ids, run.id) != ids.end();
        if (run.result.contains("comfyui") && isNamed) {
            queue_.remove(run.id);
        }
    }
    return emptyResponse();
}

Response ComfyApi::interrupted(const Request& request) {
    const Json body = Json::parse(request.body, nullptr, false);
    const std::string wanted =
        body.is_object() && body.contains("prompt_id") && body.at("prompt_id").is_string()
            ? body.at("prompt_id").get<std::string>()
            : "";
    const std::optional<StoredRun> run = queue_.running();
    if (run && (wanted.empty() || run->id == wanted)) {
        queue_.cancel(run->id, CancelMode::Now);
    }
    return emptyResponse();
}

/// While a run is at work nothing is free, as in ComfyUI, which does it later.
Response ComfyApi::freed(const Request& request) {
    const Json body = bodyObject(request);
    if (isSet(body, "unload_models") || isSet(body, "free_memory")) {
        runner_.release("all");
        if (isSet(body, "unload_models")) {
            static_cast<void>(call(plugin_, "unload", {{"component", "all"}}));
        }
    }
    return emptyResponse();
}

Response ComfyApi::systemStats() const {
    const Answer answer = answerOf([&](std::string& text) { return runner_.devices(text); });
    Json devices = Json::array();
    int64_t ram = 0;
    int64_t ramFree = 0;
    for (const Json& device : answer.result.value("devices", Json::array())) {
        const auto id = device.value("id", std::string());
        const auto capacity = device.value("capacity", int64_t{0});
        const auto free = device.value("free", int64_t{0});
        if (id == "cpu") {
            ram = capacity;
            ramFree = free;
        }
        const size_t colon = id.find(':');
        devices.push_back(
            {{"name", id + " " + device.value("name", std::string())},
             {"type", id.substr(0, colon)},
             {"index",
              id == "cpu" ? Json()
                          : Json(colon == id.npos ? 0 : std::atoi(id.c_str() + colon + 1))},
             {"vram_total", capacity},
             {"vram_free", free},
             {"torch_vram_total", capacity},
             {"torch_vram_free", free}});
    }
    const Json info = Json::parse(plugin_.info());
    return jsonResponse(
        {{"system",
          {{"os", "posix"},
           {"ram_total", ram},
           {"ram_free", ramFree},
           {"comfyui_version", "0.3.75"},
           {"python_version", "none: lowtide " + info.value("version", std::string())},
           {"pytorch_version", info.value("torch", std::string())},
           {"embedded_python", false},
           {"argv", {"lowtide", "serve"}}}},
         {"devices", devices}});
}

std::shared_ptr<SocketReader> ComfyApi::reader(const Request& request) {
    if (request.path != std::vector<std::string>{"ws"}) {
        return nullptr;
    }
    std::string id = request.parameter("clientId");
    if (id.empty()) {
        id = newRunId();
        std::erase(id, '-');
    }
    return std::make_shared<ComfySocket>(*this, std::move(id));
}

void ComfyApi::opened(const std::string& id, const std::shared_ptr<Socket>& socket) {
    Json status = statusData(queue_.remaining());
    status["sid"] = id;
    const std::optional<StoredRun> run = queue_.running();
    const bool isRunning = run && clientOf(*run) == id;
    const std::lock_guard lock(mutex_);
    clients_[id] = {.socket = socket};
    socket->sendText(Json{{"type", "status"}, {"data", status}}.dump(), Socket::Need::Always);
    if (isRunning) {
        socket->sendText(Json{{"type", "executing"}, {"data", {{"node", currentNode_}}}}.dump(),
                         Socket::Need::Always);
    }
}

Json ComfyApi::statusData(size_t remaining) const {
    return {{"status", {{"exec_info", {{"queue_remaining", remaining}}}}}};
}

void ComfyApi::send(const std::string& client, const ComfyMessage& message) {
    const std::string text = toText({{"type", message.type}, {"data", message.data}});
    const Socket::Need need =
        message.mayBeMissed ? Socket::Need::MayBeMissed : Socket::Need::Always;
    const std::lock_guard lock(mutex_);
    for (const auto& [id, known] : clients_) {
        if (client.empty() || id == client) {
            known.socket->sendText(text, need);
        }
    }
}

void ComfyApi::queueChanged(size_t remaining) {
    send({}, {"status", statusData(remaining)});
}

void ComfyApi::started(const StoredRun& run) {
    running_ =
        isOfComfy(run) ? std::make_unique<ComfyMessages>(run.id, run.asked.at("prompt")) : nullptr;
}

void ComfyApi::event(const StoredRun& run, const Json& event) {
    if (run.started == 0 || !running_) {  // taken back by a request
        return;
    }
    if (event.value("event", std::string()) == "nodeCached") {
        showAgain(run, event.value("node", std::string()));
    }
    const std::string client = clientOf(run);
    for (const ComfyMessage& message : running_->take(event, nowMilliseconds())) {
        if (message.type == "executing") {
            const std::lock_guard lock(mutex_);
            currentNode_ = message.data.at("node").get<std::string>();
        }
        const bool isProgress = message.type.starts_with("progress");
        if (!client.empty() || isProgress) {
            send(client, message);
        }
    }
}

void ComfyApi::image(const StoredRun& run, const Json& nodePreview, const Image8& image) {
    if (!running_) {
        return;
    }
    const auto ours = nodePreview.value("node", std::string());
    const std::string node = running_->nodeOf(ours);
    if (!nodePreview.value("live", true) && running_->classOf(node) == "PreviewImage") {
        showImage(run, ours, image);
        return;
    }
    const std::string client = clientOf(run);
    std::vector<Client> clients;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, known] : clients_) {
            if (client.empty() || id == client) {
                clients.push_back(known);
            }
        }
    }
    if (clients.empty() || !nodePreview.value("live", true)) {
        return;
    }
    const EncodedImage encoded = encodedPreview(image);
    Json fields = running_->nodeFields(node);
    fields["image_type"] = encoded.isPng ? "image/png" : "image/jpeg";
    const std::string text = fields.dump();
    const std::string named = bigEndian(kNamedPreview) +
                              bigEndian(static_cast<uint32_t>(text.size())) + text + encoded.bytes;
    const std::string plain =
        bigEndian(kPlainPreview) + bigEndian(encoded.isPng ? kPng : kJpeg) + encoded.bytes;
    for (const Client& known : clients) {
        known.socket->sendBytes(known.takesFields ? named : plain, Socket::Need::MayBeMissed);
    }
}

/// What a node shows and nobody saves is a file all the same: clients fetch it.
void ComfyApi::showImage(const StoredRun& run, const std::string& node, const Image8& image) {
    const std::string path = files::writeNewFile(
        [&] {
            return folders_.temp + "/preview_" + run.id.substr(0, 8) + "_" +
                   zeroPadded(++lastTempNumber_, 5) + ".png";
        },
        image::encodeImage(image, {}, {}));
    const Json file = comfyFile(files::lastPart(path), "temp");
    running_->show(node, file);
    shown_.emplace_back(neededPart(run.asked.at("prompt"), running_->nodeOf(node)).dump(), file);
    if (shown_.size() > kMostShown) {
        std::error_code ignored;
        const auto oldest = shown_.front().second.at("filename").get<std::string>();
        std::filesystem::remove(folders_.temp + "/" + oldest, ignored);
        shown_.pop_front();
    }
}

void ComfyApi::showAgain(const StoredRun& run, const std::string& node) {
    if (running_->classOf(running_->nodeOf(node)) != "PreviewImage") {
        return;
    }
    const std::string part = neededPart(run.asked.at("prompt"), running_->nodeOf(node)).dump();
    std::set<std::string> names;
    for (const auto& [known, file] : shown_) {
        if (known == part && names.insert(file.at("filename").get<std::string>()).second) {
            running_->show(node, file);
        }
    }
}

void ComfyApi::ended(const StoredRun& /*run*/, Json& result) {
    if (running_) {
        result["comfyui"] = running_->history();
    }
}

void ComfyApi::settled(const StoredRun& run) {
    if (run.started > 0 && running_) {
        running_.reset();
        if (!clientOf(run).empty()) {
            send(clientOf(run), {"executing", {{"node", nullptr}, {"prompt_id", run.id}}});
        }
    }
}

}  // namespace lowtide::service
