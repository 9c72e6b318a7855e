#include "tests/golden/adapter_case.hpp"

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/golden/case_problems.hpp"

#include <QTemporaryDir>

#include <utility>

namespace lowtide::testing {

namespace {

const CaseParameters kEmptyParameters = {
    {"width", {"latent.width"}}, {"height", {"latent.height"}}, {"batch", {"latent.batch"}}};
const CaseParameters kPlainParameters = {{"prompt", {"encode.prompt"}},
                                         {"negative", {"encode.negative"}},
                                         {"clip_skip", {"encode.clip_skip"}},
                                         {"steps", {"denoise.steps"}},
                                         {"cfg", {"denoise.cfg"}},
                                         {"seed", {"denoise.seed"}},
                                         {"sampler", {"denoise.sampler"}}};

Json listOf(const Json& test, const char* key) {
    return test.value(key, Json::array());
}

/// The example of a case, with nodes for its adapters and what is set on them.
class AdaptedGraph {
public:
    AdaptedGraph(const Json& test, QString goldens)
        : test_(test),
          goldens_(std::move(goldens)),
          graph_(parseJson(exampleText(test.contains("image") ? "image_to_image" : "text_to_image"),
                           "graph")) {
        addLoras();
        addControls();
        addIpAdapters();
    }

    [[nodiscard]] AdaptedRun run() const {
        return {.graph = graph_, .settings = plainSettings(test_, goldens_) + settings_};
    }

private:
    void add(const std::string& id, const char* type) {
        graph_["nodes"][id] = {{"type", type}, {"v", 1}};
    }

    void link(const std::string& from,
              const char* output,
              const std::string& to,
              const std::string& input) {
        graph_["links"].push_back({{"from", {from, output}}, {"to", {to, input}}});
    }

    void set(const std::string& node, const char* param, const QString& value) {
        settings_ << QString::fromStdString(node) + "." + param + "=" + value;
    }

    void addImage(const std::string& node, const Json& name) {
        add(node, "load.image");
        set(node, "image", imageFile(name, goldens_));
    }

    /// Between the checkpoint and what reads its prompt and denoises.
    void addLoras() {
        std::string last = "load";
        for (const Json& lora : listOf(test_, "loras")) {
            const std::string own = "lora_" + std::to_string(count_++);
            add(own, "load.lora");
            link(last, "model", own, "model");
            set(own, "file", loraFile(test_, lora, goldens_));
            set(own, "strength", caseText(lora.at("strength")));
            set(own, "text_strength", caseText(lora.at("strength")));
            last = own;
        }
        for (Json& each : graph_["links"]) {
            const std::string target = each["to"][0];
            if (each["from"][0] == "load" && (target == "encode" || target == "denoise")) {
                each["from"][0] = last;
            }
        }
    }

    void addControls() {
        std::string last;
        for (const Json& control : listOf(test_, "controls")) {
            const std::string number = std::to_string(count_++);
            const std::string own = "control_" + number;
            add("net_" + number, "load.controlnet");
            set("net_" + number, "controlnet", controlFolder(test_, control, goldens_));
            addImage("hint_" + number, control.at("image"));
            add(own, "control.apply");
            link("net_" + number, "controlnet", own, "controlnet");
            link("hint_" + number, "image", own, "image");
            if (!last.empty()) {
                link(last, "control", own, "control");
            }
            for (const char* param : {"strength", "start", "end", "mode"}) {
                if (control.contains(param)) {
                    set(own, param, caseText(control.at(param)));
                }
            }
            last = own;
        }
        if (!last.empty()) {
            link(last, "control", "denoise", "control");
        }
    }

    void addIpAdapters() {
        std::string last;
        int index = 0;  // the reference's values of the second one stand below its node's name
        for (const Json& adapter : listOf(test_, "adapters")) {
            last = addIpAdapter(adapter, "ip_" + std::to_string(index++), last);
        }
        if (!last.empty()) {
            link(last, "image_prompt", "denoise", "image_prompt");
        }
    }

    std::string addIpAdapter(const Json& adapter,
                             const std::string& own,
                             const std::string& before) {
        add("load_" + own, "load.ip_adapter");
        set("load_" + own, "adapter", ipAdapterFile(test_, adapter, goldens_));
        add(own, "control.ip_adapter");
        link("load_" + own, "ip_adapter", own, "ip_adapter");
        set(own, "strength", caseText(adapter.at("strength")));
        for (size_t i = 0; i < adapter.at("images").size(); ++i) {
            const std::string image = "image_" + own + "_" + std::to_string(i);
            addImage(image, adapter.at("images")[i]);
            link(image, "image", own, i == 0 ? "image" : "image_" + std::to_string(i + 1));
        }
        if (adapter.contains("mask")) {
            addImage("mask_file_" + own, adapter.at("mask"));
            add("mask_" + own, "mask.from_image");
            link("mask_file_" + own, "image", "mask_" + own, "image");
            link("mask_" + own, "mask", own, "mask");
        }
        if (adapter.contains("weights")) {
            QStringList weights;
            for (const Json& weight : adapter.at("weights")) {
                weights << caseText(weight);
            }
            set(own, "weights", weights.join(", "));
        }
        if (!before.empty()) {
            link(before, "image_prompt", own, "image_prompt");
        }
        return own;
    }

    const Json& test_;
    QString goldens_;
    Json graph_;
    QStringList settings_;
    int count_ = 0;
};

}  // namespace

QStringList plainSettings(const Json& test, const QString& goldens) {
    QStringList settings = caseSettings(test, kPlainParameters);
    settings << "load.checkpoint=" + goldens + "/checkpoints/" + caseText(test.at("checkpoint"));
    if (test.contains("image")) {
        return settings << "load_image.image=" + imageFile(test.at("image"), goldens)
                        << "denoise.strength=" + caseText(test.at("strength"));
    }
    return settings << caseSettings(test, kEmptyParameters);
}

QString loraFile(const Json& test, const Json& lora, const QString& goldens) {
    return QString("%1/lora/%2_%3/%4.safetensors")
        .arg(goldens,
             caseText(test.at("checkpoint")),
             caseText(lora.at("variant")),
             caseText(lora.at("file")));
}

QString controlFolder(const Json& test, const Json& control, const QString& goldens) {
    return QString("%1/controlnet/%2_%3")
        .arg(goldens, caseText(test.at("checkpoint")), caseText(control.at("variant")));
}

QString ipAdapterFile(const Json& test, const Json& adapter, const QString& goldens) {
    return QString("%1/ip/%2_%3/ip-adapter%4_sd15.%5")
        .arg(goldens,
             caseText(test.at("checkpoint")),
             caseText(adapter.at("variant")),
             adapter.at("variant") == 1 ? "-plus" : "",
             QString::fromStdString(adapter.value("file", "safetensors")));
}

QString imageFile(const Json& name, const QString& goldens) {
    return goldens + "/images/" + caseText(name) + ".png";
}

AdaptedRun adaptedRun(const Json& test, const QString& goldens) {
    return AdaptedGraph(test, goldens).run();
}

std::string adaptedCaseProblems(const Json& test,
                                const QString& goldens,
                                const std::string& key,
                                const QStringList& more) {
    const QTemporaryDir folder;
    if (test.contains("embeddings")) {
        copyFolder(goldens + "/embeddings/" + caseText(test.at("name")),
                   folder.filePath("embeddings"));
    }
    const AdaptedRun made = adaptedRun(test, goldens);
    const QString graph = folder.filePath("graph.json");
    writeFile(graph, QByteArray::fromStdString(made.graph.dump()));
    return caseProblems(test, goldens, graph, made.settings + more, key);
}

}  // namespace lowtide::testing
