#pragma once

#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/bridge/engine.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>

#include <memory>

namespace lowtide::ui {

[[nodiscard]] inline std::vector<NodeDesc> benchNodes() {
    return {{.id = "load.checkpoint",
             .label = "Load",
             .outputs = {{.id = "model", .label = "Model", .type = "MODEL"}}},
            {.id = "test.denoise",
             .label = "Denoise",
             .output = true,
             .components = {"denoiser"},
             .inputs = {{.id = "model", .label = "Model", .type = "MODEL", .optional = true}},
             .params = {{.id = "steps",
                         .label = "Steps",
                         .kind = ParamKind::Int,
                         .defaultValue = int64_t{20},
                         .min = 1,
                         .max = 100}}}};
}

/// The same node with the model of a file.
[[nodiscard]] inline graph::Document modelGraph() {
    graph::Document document;
    document.nodes["denoise"].type = "test.denoise";
    document.nodes["load"].type = "load.checkpoint";
    document.nodes["load"].params = {{"checkpoint", "dream.safetensors"}};
    connect(document, {"load", "model"}, {"denoise", "model"});
    return document;
}

/// A graph of one node behind a scripted module, as panels see it.
struct PanelBench {
    ScriptedPlugin plugin{benchNodes()};
    Engine engine{plugin};
    GraphModel model{engine.catalog()};
    Planning planning{engine.runner(), model};
    RunQueue queue{engine.runner()};
    MemoryFeed feed{engine.runner()};
    MaintenanceJob maintenance{engine};

    PanelBench() {
        graph::Document document;
        graph::DocumentNode node;
        node.type = "test.denoise";
        node.params = {{"steps", 20}};
        document.nodes["denoise"] = node;
        model.load(document);
    }

    [[nodiscard]] ScriptedRunner& runner() { return plugin.scripted; }

    static void useTheme(bool isDark) {
        Theme::setCurrent(
            std::make_shared<const Theme>(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light));
        Theme::current().applyTo(*qApp);
    }
};

}  // namespace lowtide::ui
