#include "ui/bridge/model_plans.hpp"

#include "plugin/graph/document.hpp"
#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr int kAgainMilliseconds = 2000;
constexpr std::array kOptionsThatCount = {"device", "as", "memoryBudget", "lowMemory"};
constexpr int64_t kSteps = 20;

/// The side of images that a family was trained for.
int64_t sideOf(const std::string& family) {
    return family == "SD 1.x" ? 512 : family == "SD 2.x" ? 768 : 1024;
}

graph::DocumentNode nodeOf(const char* type, Json params) {
    graph::DocumentNode node;
    node.type = type;
    node.params = std::move(params);
    return node;
}

Bytes streamedIn(const Json& plan) {
    Bytes most = 0;
    const Json& residencies = memberIn(plan, "stays");
    for (const Json& residency : residencies.is_array() ? residencies : Json::array()) {
        most = std::max(most, bytesIn(residency, "streamed_bytes_per_pass"));
    }
    return most;
}

}  // namespace

std::string graphFor(const FoundModel& model) {
    graph::Document document;
    const int64_t side = sideOf(model.file.family);
    document.nodes = {{"load", nodeOf("load.checkpoint", {{"checkpoint", model.file.path}})},
                      {"encode", nodeOf("prompt.encode", {{"prompt", "a"}, {"negative", ""}})},
                      {"latent", nodeOf("latent.empty", {{"width", side}, {"height", side}})},
                      {"denoise", nodeOf("denoise.sample", {{"steps", kSteps}})},
                      {"decode", nodeOf("decode.image", Json::object())},
                      {"show", nodeOf("preview.image", Json::object())}};
    document.links = {{{"denoise", "latent"}, {"decode", "latent"}},
                      {{"load", "model"}, {"decode", "model"}},
                      {{"latent", "latent"}, {"denoise", "latent"}},
                      {{"load", "model"}, {"denoise", "model"}},
                      {{"encode", "negative"}, {"denoise", "negative"}},
                      {{"encode", "positive"}, {"denoise", "positive"}},
                      {{"load", "model"}, {"encode", "model"}},
                      {{"decode", "image"}, {"show", "image"}}};
    return graph::toText(document);
}

std::optional<ModelFit> fitFrom(Status status, const std::string& answer) {
    const Json reported = answerOf(answer);
    if (status == Status::Ok) {
        const Bytes streamed = streamedIn(memberIn(reported, "plan"));
        return ModelFit{.verdict = streamed > 0 ? ModelVerdict::Streams : ModelVerdict::Fits,
                        .streamed = streamed};
    }
    for (const Issue& issue : issuesFromJson(memberIn(reported, "issues"))) {
        if (issue.code == "busy") {
            return std::nullopt;
        }
        if (issue.code == "memory_infeasible") {
            return ModelFit{.verdict = ModelVerdict::TooBig,
                            .needed = bytesIn(factsOf(issue), "budget")};
        }
    }
    return ModelFit{};
}

ModelPlans::ModelPlans(Runner& runner, QObject* parent) : QObject(parent), runner_(runner) {
    again_.setSingleShot(true);
    again_.setInterval(kAgainMilliseconds);
    connect(&again_, &QTimer::timeout, this, &ModelPlans::askNext);
}

bool ModelPlans::canPlan(const FoundModel& model) {
    return model.file.kind == ModelKind::Checkpoint && model.file.isRunnable &&
           model.file.problem.empty() && model.file.needs.empty();
}

void ModelPlans::setOptions(const Json& options) {
    Json counted = Json::object();
    for (const char* key : kOptionsThatCount) {
        if (const Json& value = memberIn(options, key); !value.is_null()) {
            counted[key] = value;
        }
    }
    if (counted != options_) {
        options_ = counted;
        forgetAll();
    }
}

void ModelPlans::forgetAll() {
    ++session_;
    fits_.clear();
    waiting_.clear();
    asked_.clear();
}

std::optional<ModelFit> ModelPlans::known(const FoundModel& model) const {
    const auto found = fits_.find(model.file.path);
    return found == fits_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ModelFit> ModelPlans::find(const FoundModel& model) {
    const std::string& path = model.file.path;
    if (const auto answer = known(model)) {
        return answer;
    }
    if (canPlan(model) && asked_.insert(path).second) {
        waiting_.push_front(model);
        askNext();
    }
    return std::nullopt;
}

void ModelPlans::askNext() {
    if (isAsking_ || waiting_.empty() || again_.isActive()) {
        return;
    }
    isAsking_ = true;
    const FoundModel model = waiting_.front();
    waiting_.pop_front();
    background_.run([this, model, session = session_, options = options_.dump()] {
        std::string answer;
        const Status status = runner_.plan(graphFor(model), options, answer);
        const std::optional<ModelFit> fit = fitFrom(status, answer);
        return [this, model, session, fit] { take(model, session, fit); };
    });
}

void ModelPlans::take(const FoundModel& model, int session, const std::optional<ModelFit>& fit) {
    isAsking_ = false;
    if (session == session_) {
        if (fit) {
            const std::string& path = model.file.path;
            asked_.erase(path);
            fits_[path] = *fit;
            Q_EMIT answered(path);
        } else {
            waiting_.push_front(model);
            again_.start();
        }
    }
    askNext();
}

}  // namespace lowtide::ui
