#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/theme/theme.hpp"

#include <QtTest>
#include <QtWidgets>

#include <memory>

namespace lowtide::test {

/// A few node types as the canvas sees them: a source, a stage with rows, a passing node, one with
/// inputs that it does without, an end.
inline std::vector<NodeDesc> canvasNodes() {
    const PortDesc image{.id = "image", .label = "Image", .type = "IMAGE"};
    const PortDesc model{.id = "model", .label = "Model", .type = "MODEL"};
    const PortDesc latent{.id = "latent", .label = "Latent", .type = "LATENT"};
    return {
        {.id = "load.model",
         .label = "Load model",
         .category = "Load",
         .tooltip = "Opens a model.",
         .aliases = {"CheckpointLoaderSimple"},
         .outputs = {model},
         .params = {{.id = "file",
                     .label = "File",
                     .kind = ParamKind::File,
                     .defaultValue = std::string("builtin:mini")}}},
        {.id = "denoise.sample",
         .label = "Denoise",
         .category = "Denoise",
         .tooltip = "Turns noise into a latent image, step by step.",
         .aliases = {"KSampler"},
         .components = {"denoiser"},
         .inputs = {model, {.id = "start", .label = "Start", .type = "LATENT", .optional = true}},
         .outputs = {latent},
         .params =
             {{.id = "prompt",
               .label = "Prompt",
               .kind = ParamKind::Text,
               .defaultValue = std::string("a lighthouse"),
               .multiline = true},
              {.id = "steps",
               .label = "Steps",
               .unit = "steps",
               .kind = ParamKind::Int,
               .defaultValue = int64_t{20},
               .min = 1,
               .max = 150},
              {.id = "tiled", .label = "Tiled", .kind = ParamKind::Bool, .defaultValue = false},
              {.id = "eta",
               .label = "Eta",
               .kind = ParamKind::Float,
               .defaultValue = 0.0,
               .advanced = true}}},
        {.id = "latent.scale",
         .label = "Scale latent",
         .category = "Latent",
         .tooltip = "Enlarges.",
         .inputs = {latent},
         .outputs = {latent}},
        {.id = "latent.mix",
         .label = "Mix",
         .category = "Latent",
         .tooltip = "Mixes.",
         .inputs = {latent,
                    {.id = "second", .label = "Second", .type = "LATENT", .optional = true},
                    {.id = "other", .label = "Other", .type = "MODEL", .optional = true}},
         .outputs = {latent},
         .params =
             {{.id = "amount", .label = "Amount", .kind = ParamKind::Float, .defaultValue = 0.5}}},
        {.id = "decode.image",
         .label = "Decode",
         .category = "Decode",
         .tooltip = "Makes images of latents.",
         .inputs = {model, latent},
         .outputs = {image}},
        {.id = "save.image",
         .label = "Save image",
         .category = "Save",
         .tooltip = "Writes PNG files.",
         .output = true,
         .inputs = {image},
         .params = {{.id = "prefix",
                     .label = "Prefix",
                     .kind = ParamKind::Text,
                     .defaultValue = std::string("lowtide")}}},
    };
}

/// A graph on a shown canvas of 1200x800 pixels, zoom 1, with real events.
class CanvasBench {
public:
    CanvasBench() : catalog(canvasNodes()), model(catalog) {
        ui::Theme::setCurrent(std::make_shared<ui::Theme>(ui::Theme::Scheme::Light));
    }

    std::string add(const std::string& type, double x, double y) {
        std::string id;
        model.apply(QStringLiteral("add"), [&](graph::Document& document) {
            id = ui::addNode(document, *catalog.find(type), {x, y});
        });
        return id;
    }

    void connect(const std::string& from,
                 const std::string& output,
                 const std::string& to,
                 const std::string& input) {
        model.apply(QStringLiteral("connect"), [&](graph::Document& document) {
            ui::connect(document, {from, output}, {to, input});
        });
    }

    void show() {
        view = std::make_unique<ui::GraphView>(model, statuses, nullptr);
        view->resize(1200, 800);
        view->navigation().minimap().ask(false);
        view->show();
        view->activateWindow();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
        view->invoke("view.zoom_actual");
        view->centerOn(500, 300);
        view->setFocus();
    }

    [[nodiscard]] ui::GraphScene& scene() const {
        return *qobject_cast<ui::GraphScene*>(view->scene());
    }

    [[nodiscard]] ui::NodeItem& node(const std::string& id) const { return *scene().node(id); }

    [[nodiscard]] QPoint pixel(QPointF scenePoint) const { return view->mapFromScene(scenePoint); }

    [[nodiscard]] QPoint input(const std::string& id, const std::string& port) const {
        return pixel(node(id).inputInScene(port));
    }

    [[nodiscard]] QPoint output(const std::string& id, const std::string& port) const {
        return pixel(node(id).outputInScene(port));
    }

    [[nodiscard]] QPoint header(const std::string& id) const {
        return pixel(node(id).pos() + node(id).layout().header.center());
    }

    [[nodiscard]] QPoint value(const std::string& id, const std::string& param) const {
        return pixel(node(id).valueInScene(node(id).face().rowIndex(param)).center());
    }

    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* target = view->viewport();
        QTest::mouseMove(target, from);
        QTest::mousePress(target, Qt::LeftButton, modifiers, from);
        hold(from + (to - from) / 2, modifiers);
        hold(to, modifiers);
        QTest::mouseRelease(target, Qt::LeftButton, modifiers, to);
    }

    /// Moves while the left button is down (QTest::mouseMove knows no buttons).
    void hold(QPoint to, Qt::KeyboardModifiers modifiers = {}) {
        QMouseEvent event(QEvent::MouseMove,
                          QPointF(to),
                          QPointF(view->viewport()->mapToGlobal(to)),
                          Qt::NoButton,
                          Qt::LeftButton,
                          modifiers);
        QApplication::sendEvent(view->viewport(), &event);
    }

    void click(QPoint at, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(view->viewport(), Qt::LeftButton, modifiers, at);
    }

    void doubleClick(QPoint at) { QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, at); }

    [[nodiscard]] bool hasLink(const std::string& from,
                               const std::string& to,
                               const std::string& input) const {
        for (const graph::Link& link : model.document().links) {
            if (link.from.node == from && link.to == graph::PortRef{to, input}) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] ui::Point topLeftOf(const std::string& id) const {
        return ui::positionOf(*model.node(id));
    }

    /// The menu that a right click opens; closed by the caller.
    [[nodiscard]] QMenu* menuAt(QPoint at) const {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at));
        QApplication::sendEvent(view->viewport(), &event);
        return view->findChild<QMenu*>("canvasMenu");
    }

    /// By its text without the mark of its access key.
    [[nodiscard]] static QAction* entry(const QMenu& menu, const QString& text) {
        for (QAction* action : menu.actions()) {
            if (action->text().remove(QLatin1Char('&')) == text) {
                return action;
            }
        }
        return nullptr;
    }

    /// How many pixels have the colour of this token.
    [[nodiscard]] int pixelsOf(const char* token) const {
        const QImage image = view->grab().toImage();
        const QColor colour = ui::Theme::current().colour(token);
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                count += image.pixelColor(x, y) == colour ? 1 : 0;
            }
        }
        return count;
    }

    graph::Catalog catalog;
    ui::GraphModel model;
    ui::NodeStatuses statuses;
    std::unique_ptr<ui::GraphView> view;
};

}  // namespace lowtide::test
