#include "ui/bridge/model_file.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/paths.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/engine.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr Bytes kTensorsAtOnce = 4;

std::string messageIn(const Json& answer, const std::string& name) {
    const Issues issues = issuesFromJson(memberIn(answer, "issues"));
    return issues.empty() ? "the module does not say what " + name + " is"
                          : issues.front().message.str();
}

/// The file, or the folder above it, whose name is no text.
std::string firstUnnamed(const std::string& text, const std::string& path) {
    const std::vector<std::string> shown = split(text, '/');
    const std::vector<std::string> bytes = split(path, '/');
    const auto [name, real] = std::mismatch(shown.begin(), shown.end(), bytes.begin(), bytes.end());
    return name == shown.end() ? text : *name;
}

}  // namespace

Recognise recogniserOf(const Engine& engine) {
    if (!engine.canCall("recognise")) {
        return {};
    }
    return [&plugin = engine.plugin()](const std::string& path, std::string& result) {
        return plugin.call("recognise", Json{{"path", path}}.dump(), nullptr, result);
    };
}

ModelFile recogniseFile(const Recognise& recognise, const std::string& path) {
    ModelFile model{.path = files::pathText(path), .name = {}};
    model.name = files::lastPart(model.path);
    if (model.path != path) {
        model.problem =
            "the name " + quotedName(firstUnnamed(model.path, path)) + " is not UTF-8: rename it";
        return model;
    }
    if (!recognise) {
        model.problem = model.name + " cannot be read: the module is not there";
        return model;
    }
    std::string text;
    const Status status = recognise(path, text);
    const Json known = answerOf(text);
    const std::string kind = textIn(known, "kind");
    if (status != Status::Ok || kind.empty()) {
        model.problem = messageIn(known, model.name);
        return model;
    }
    model.kind = modelKindNamed(kind);
    model.family = textIn(known, "family");
    model.isRunnable = memberIn(known, "runs") == true || textIn(known, "state") == "runs_with";
    model.needs = textIn(known, "needs");
    model.weights = bytesIn(known, "bytes");
    model.largest = bytesIn(known, "largest_bytes");
    model.problem = textIn(known, "problem");
    return model;
}

ModelVerdict verdictOf(const ModelFile& model, Bytes budget) {
    const Bytes room = budget / 4 * 3;
    if (budget <= 0 || model.weights == 0) {
        return ModelVerdict::Unknown;
    }
    if (model.weights <= room) {
        return ModelVerdict::Fits;
    }
    return model.largest <= room / kTensorsAtOnce ? ModelVerdict::Streams : ModelVerdict::TooBig;
}

}  // namespace lowtide::ui
