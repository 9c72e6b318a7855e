#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/document/image_size.hpp"

#include <QWidget>

#include <cstdint>
#include <string>

class QComboBox;

namespace lowtide::ui {

/// One row of the form for one thing of a node. What the user edits becomes a step of the model.
class FormField : public QWidget {
    Q_OBJECT

public:
    FormField(GraphModel& model, graph::ExposedParam exposed, QWidget* parent);

    [[nodiscard]] const std::string& node() const { return exposed_.node; }

    [[nodiscard]] const std::string& param() const { return exposed_.param; }

    /// Shows what the model holds now.
    virtual void refresh() = 0;

    /// Why the value is refused; empty: it is fine.
    virtual void setProblem(const QString& /*problem*/) {}

protected:
    [[nodiscard]] GraphModel& model() const { return model_; }

    [[nodiscard]] const graph::ExposedParam& exposed() const { return exposed_; }

private:
    GraphModel& model_;
    graph::ExposedParam exposed_;
};

/// The preset of a node's precision: quality, balanced or speed. What else its precision states is
/// kept.
class PrecisionField : public FormField {
    Q_OBJECT

public:
    PrecisionField(GraphModel& model, const graph::ExposedParam& exposed, QWidget* parent);

    void refresh() override;

private:
    void choose(const std::string& preset);

    QComboBox* presets_;
};

/// Width and height of a node side by side, with the usual ratios at the same number of pixels, the
/// size that the model usually has in this ratio, and a button that swaps both.
class SizeRow : public QWidget {
    Q_OBJECT

public:
    /// Fields of the parameters "width" and "height" of one node, which become parts of the row.
    SizeRow(GraphModel& model, FormField& width, FormField& height, QWidget* parent);

    [[nodiscard]] const std::string& node() const { return node_; }

    /// Of images of the model; 0: not known.
    void setUsualPixels(int64_t pixels);
    void refresh();

private:
    void offerUsual(const PixelSize& now);
    [[nodiscard]] PixelSize size() const;
    void apply(const QString& step, const PixelSize& size);

    GraphModel& model_;
    std::string node_;
    SizeLimits limits_;
    QComboBox* ratios_;
    PixelSize made_;      ///< by a ratio or a swap; another one is the user's
    int64_t pixels_ = 0;  ///< of the size that the user chose
    int64_t usualPixels_ = 0;
    PixelSize usual_;  ///< is offered behind the ratios; empty: it is not
};

}  // namespace lowtide::ui
