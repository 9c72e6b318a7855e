#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <vector>

class QLineEdit;
class QMimeData;

namespace lowtide::ui {

class PromptLibrary;

/// Choices that only the studio knows, for parameters that name files: checkpoints, upscalers, ...
struct OfferedFile {
    QString value;  ///< as the graph keeps it
    QString label;
    QString detail;  ///< "SD 1.5, 2.1 GB, fits"
};

class OfferedFiles {
public:
    virtual ~OfferedFiles() = default;
    [[nodiscard]] virtual std::vector<OfferedFile> filesFor(const std::string& nodeType,
                                                            const std::string& param) const = 0;

    /// Whether the file lies in a folder of the program, where nobody keeps files of their own.
    [[nodiscard]] virtual bool isOfProgram(const QString& /*path*/) const { return false; }

    /// What helps with prompts; nullptr: nothing does.
    [[nodiscard]] virtual PromptLibrary* prompts() const { return nullptr; }
};

/// Edits one value. The same widget serves the canvas (one at a time, over the row), the inspector
/// and the form. It keeps a value that does not fit, and marks it with the reason.
class ParamEditor : public QWidget {
    Q_OBJECT

public:
    ParamEditor(const ParamDesc& param, QWidget* parent);
    /// What is half typed goes with it: a field that loses the focus later finds no editor.
    ~ParamEditor() override;
    /// Shows the value without emitting. A value that does not fit is left as it is and marked.
    void setValue(const Json& value);

    [[nodiscard]] Json value() const { return value_; }

    /// Marks the value as refused, with the reason as tooltip; empty: fine.
    virtual void setProblem(const QString& problem);

    /// The node's parameters as the graph states them, asked when an editor depends on another one.
    /// Without it the others have their defaults.
    virtual void setOtherParams(std::function<Json()> /*params*/) {}

    /// The nodes whose value it is, the shown one first.
    virtual void setNodes(const std::vector<std::string>& nodes) { nodes_ = nodes; }

    [[nodiscard]] const std::vector<std::string>& nodes() const { return nodes_; }

    [[nodiscard]] const std::string& paramId() const { return param_.id; }

    /// Whether Tab is for it now and leaves the editor where it is.
    [[nodiscard]] virtual bool wantsTab() const { return false; }

    /// Selects all, or opens the list: what a user expects who clicked into the row.
    virtual void begin() = 0;

Q_SIGNALS:
    /// `isFinal` ends a gesture: typing confirmed, drag released.
    void edited(const lowtide::Json& value, bool isFinal);
    /// Escape, or done: the canvas takes the editor away.
    void dismissed();

protected:
    [[nodiscard]] const ParamDesc& param() const { return param_; }

    /// Paints or writes the value; emits nothing.
    virtual void showValue() = 0;

    /// The value is another: assistive technology is notified.
    virtual void valueReported() {}

    /// The widget with the frame that is marked: the field in it, where there is one.
    [[nodiscard]] virtual QWidget* markedWidget() { return focusProxy() ? focusProxy() : this; }

    /// Takes what is typed into the field when it is left.
    void watchTyping(QWidget& field);

    /// Takes the value and reports it; a value that is refused is only marked. Returns whether it
    /// was taken.
    bool propose(const Json& value, bool isFinal);
    /// Ends a gesture with the value as it is, if something was reported since the last end.
    void finish();
    /// Marks what was typed, which is not the value.
    void refuse(const QString& problem);
    /// Takes back refuse(): what is shown is the value again.
    void forgetTyping();
    /// The parameter's default as JSON.
    [[nodiscard]] Json defaultValue() const;

    /// Escape ends the gesture, and the editing.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void mark();

    ParamDesc param_;
    std::vector<std::string> nodes_;
    Json value_;
    QString typingProblem_;
    QString outerProblem_;
    bool isUnfinished_ = false;
};

/// The editor of the parameter's kind: number fields that scrub (Ctrl coarse, Shift fine) and read
/// expressions (`+1`, `*2`, `512+64`), choices, texts, files, seeds, switches. `offered` may be
/// nullptr and must outlive the editor.
[[nodiscard]] ParamEditor* makeParamEditor(const NodeDesc& node,
                                           const ParamDesc& param,
                                           const OfferedFiles* offered,
                                           QWidget* parent);

/// The value as rows show it: "20 steps", "7.5", "Euler", "random".
[[nodiscard]] QString valueText(const ParamDesc& param, const Json& value);

/// Marks a widget as wrong: the style paints its frame so. Empty: fine; `tooltip` is shown then.
void markProblem(QWidget& widget, const QString& problem, const QString& tooltip);

/// One line of text.
class LineEditor : public ParamEditor {
    Q_OBJECT

public:
    LineEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;

protected:
    void showValue() override;

private:
    QLineEdit* line_;
};

/// Local files among what is dragged or pasted.
[[nodiscard]] QStringList localFiles(const QMimeData* data);

/// The text of a value that should be one; other values as JSON.
[[nodiscard]] QString plainText(const Json& value);

}  // namespace lowtide::ui
