#pragma once

#include "ui/editors/value_editor.hpp"

class QFileDialog;

namespace lowtide::ui {

class PathLine;

/// A file or a folder: typed, chosen from those that the studio knows, or browsed for.
class FileEditor : public ValueEditor {
    Q_OBJECT

public:
    FileEditor(const NodeDesc& node,
               const ParamDesc& param,
               const OfferedFiles* offered,
               QWidget* parent);

    void begin() override;

protected:
    void showValue() override;
    [[nodiscard]] QWidget* markedWidget() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void offer();
    void browse();
    void beginAtFile(QFileDialog& dialog) const;
    void choose(const QString& path);

    const OfferedFiles* offered_;
    std::string nodeType_;
    bool isWritten_;  ///< the node writes the file, so it need not be there
    bool isPicture_;  ///< the node reads a picture from it
    PathLine* path_;
};

}  // namespace lowtide::ui
