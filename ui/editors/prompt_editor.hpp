#pragma once

#include "ui/bridge/past_prompts.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/editors/prompt_weight.hpp"

#include <optional>
#include <string>
#include <vector>

class QPlainTextEdit;

namespace lowtide::ui {

class PromptCompletion;
class PromptFooter;
class PromptHighlighter;
class PromptLibrary;

/// Several lines, a prompt mostly, in colours. Ctrl+Up and Ctrl+Down change the weight of the
/// selection, as the node reads weights; where it reads none, they report that. With a library it
/// also counts tokens, completes words, and has styles and earlier prompts at hand.
class PromptEditor : public ParamEditor {
    Q_OBJECT

public:
    /// `library` may be nullptr, else it must outlive the editor.
    PromptEditor(const NodeDesc& node,
                 const ParamDesc& param,
                 PromptLibrary* library,
                 QWidget* parent);

    void begin() override;
    void setOtherParams(std::function<Json()> params) override;
    void setNodes(const std::vector<std::string>& nodes) override;
    [[nodiscard]] bool wantsTab() const override;

    /// The one that a user types into; nullptr: none.
    [[nodiscard]] static PromptEditor* focused();

    /// Offers words at the cursor, whatever is written there.
    void complete();
    /// Opens the list of styles, which can be applied, saved and changed.
    void openStyles();
    /// Opens the list of earlier texts of this parameter.
    void openPast();

protected:
    void showValue() override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectLibrary();
    void changeWeight(double change);
    void explainNoWeights();
    void take(const QString& text);
    void readSyntax();
    void showCounts();
    void offerWeights();
    void readAsA1111();
    void listPast(const PastPrompts& prompts);
    void saveStyle();
    void applyStyle(const QString& name);
    [[nodiscard]] bool takeKey(QKeyEvent& event);
    void offerImport();
    bool showTip(const QPoint& at);

    std::string nodeType_;
    PromptLibrary* const library_;
    QPlainTextEdit* prompt_;
    PromptHighlighter* highlighter_;
    PromptCompletion* completion_ = nullptr;  ///< only with a library, like the footer
    PromptFooter* footer_ = nullptr;
    std::optional<ParamDesc> weights_;  ///< of the node; nothing: its texts have no weights
    std::function<Json()> otherParams_;
    bool readsWeights_ = true;  ///< the connected model does, or nobody knows
};

}  // namespace lowtide::ui
