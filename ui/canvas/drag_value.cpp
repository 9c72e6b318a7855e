#include "ui/canvas/gesture.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/editors/param_editor.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

class DragValue : public Gesture {
public:
    DragValue(GraphScene& scene, const RowFace& row, std::string node, int x)
        : scene_(scene),
          node_(std::move(node)),
          param_(*row.desc),
          before_(row.json),
          start_(*numberOf(row.json)),
          lastX_(x),
          value_(row.json) {}

    void move(const PointerAt& at) override {
        const ScrubSpeed speed = scrubSpeed(param_, at.modifiers);
        travel_ += (at.viewport.x() - lastX_) * static_cast<long double>(speed.perPixel);
        lastX_ = at.viewport.x();
        const long double number = scrubbed(param_, start_, travel_, speed.quantum);
        if (const TypedValue taken = valueFrom(param_, number); taken.value) {
            value_ = number == start_ ? before_ : *taken.value;
            show(value_);
        }
    }

    void finish(const PointerAt& at) override {
        move(at);
        if (value_ == before_) {
            return;
        }
        scene_.model().apply(QCoreApplication::translate("DragValue", "Change %1")
                                 .arg(QString::fromStdString(param_.label)),
                             [this](graph::Document& document) {
                                 document.nodes.at(node_).params[param_.id] = value_;
                             });
    }

    void cancel() override { show(before_); }

private:
    void show(const Json& value) {
        NodeItem* item = scene_.node(node_);
        const int index = item == nullptr ? -1 : item->face().rowIndex(param_.id);
        if (index >= 0) {
            NodeFace face = item->face();
            RowFace& row = face.rows[static_cast<size_t>(index)];
            row.json = value;
            row.value = valueText(param_, value);
            item->setFace(std::move(face));
        }
    }

    GraphScene& scene_;
    std::string node_;
    ParamDesc param_;
    Json before_;
    long double start_;
    long double travel_ = 0;
    int lastX_;
    Json value_;
};

}  // namespace

bool canDragValue(const RowFace& row) {
    return row.desc != nullptr &&
           (row.desc->kind == ParamKind::Int || row.desc->kind == ParamKind::Float) &&
           numberOf(row.json).has_value();
}

std::unique_ptr<Gesture> dragValue(GraphScene& scene,
                                   const RowFace& row,
                                   const std::string& node,
                                   int x) {
    return std::make_unique<DragValue>(scene, row, node, x);
}

}  // namespace lowtide::ui
