#pragma once

#include "ui/editors/param_editor.hpp"

#include <QLineEdit>

class QFileDialog;

namespace lowtide::ui {

/// A line for a path: one that is too long shows its beginning and its end while nobody types.
class PathLine : public QLineEdit {
    Q_OBJECT

public:
    using QLineEdit::QLineEdit;

    /// The path as it is seen when the line has no focus.
    [[nodiscard]] QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QRect area() const;
};

/// A file or a folder: typed, chosen from those that the studio knows, or browsed for.
class FileEditor : public ParamEditor {
    Q_OBJECT

public:
    FileEditor(const NodeDesc& node,
               const ParamDesc& param,
               const OfferedFiles* offered,
               QWidget* parent);

    void begin() override;

protected:
    void showValue() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void offer();
    void browse();
    void beginAtFile(QFileDialog& dialog) const;
    void choose(const QString& path);

    const OfferedFiles* offered_;
    std::string nodeType_;
    bool isWritten_;  ///< the node writes the file, so it need not be there
    bool isImage_;    ///< the node reads an image from it
    PathLine* path_;
};

}  // namespace lowtide::ui
