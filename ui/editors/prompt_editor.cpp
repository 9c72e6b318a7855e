#include "ui/editors/prompt_editor.hpp"

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/import.hpp"
#include "ui/access/announce.hpp"
#include "ui/bridge/prompt_library.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/editors/picker.hpp"
#include "ui/editors/prompt_completion.hpp"
#include "ui/editors/prompt_footer.hpp"
#include "ui/editors/prompt_highlighter.hpp"
#include "ui/editors/styles_dialog.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kLeastPromptHeight = 96;
constexpr int kFooterHeight = 24;
/// Below that there is no space for the line under the text, as on a node.
constexpr int kHeightWithFooter = 84;
constexpr qsizetype kLongestLabel = 100;
constexpr size_t kMostPast = 500;
constexpr const char* kTagsParam = "loras";
constexpr const char* kWeightsOfA1111 = "a1111";
constexpr const char* kTaggedParam = "prompt";

QString shortened(const QString& text) {
    const QString line = text.simplified();
    return line.size() <= kLongestLabel ? line : line.left(kLongestLabel) + QChar(u'…');
}

}  // namespace

PromptEditor::PromptEditor(const NodeDesc& node,
                           const ParamDesc& param,
                           PromptLibrary* library,
                           QWidget* parent)
    : ParamEditor(param, parent),
      nodeType_(node.id),
      library_(library),
      prompt_(named("prompt", new QPlainTextEdit(this))),
      highlighter_(new PromptHighlighter(*prompt_->document())) {
    if (const ParamDesc* weights = graph::findParam(node, kWeightsParam)) {
        weights_ = *weights;
    }
    prompt_->setTabChangesFocus(true);
    prompt_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    prompt_->setAccessibleName(accessibleName());
    prompt_->installEventFilter(this);
    prompt_->viewport()->installEventFilter(this);
    watchTyping(*prompt_);
    columnIn(this, 0, {{prompt_, 1}});
    setFocusProxy(prompt_);
    setMinimumHeight(library_ ? kLeastPromptHeight + kFooterHeight : kLeastPromptHeight);
    connect(prompt_, &QPlainTextEdit::textChanged, this, [this] {
        propose(prompt_->toPlainText().toStdString(), false);
        if (completion_ && prompt_->hasFocus()) {
            completion_->update();
        }
    });
    if (library_) {
        connectLibrary();
    }
    readSyntax();
}

void PromptEditor::connectLibrary() {
    completion_ = new PromptCompletion(*prompt_, *library_);
    connect(completion_, &PromptCompletion::styleChosen, this, &PromptEditor::applyStyle);
    connect(prompt_, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (completion_->isOpen()) {
            completion_->update();
        }
    });
    footer_ = new PromptFooter(this);
    footer_->setHasPast(library_->hasPast());
    footer_->setKeys(library_->keys());
    layout()->addWidget(footer_);
    connect(footer_, &PromptFooter::stylesAsked, this, &PromptEditor::openStyles);
    connect(footer_, &PromptFooter::pastAsked, this, &PromptEditor::openPast);
    connect(footer_, &PromptFooter::readAsked, this, &PromptEditor::readAsA1111);
    connect(highlighter_, &PromptHighlighter::piecesChanged, this, &PromptEditor::offerWeights);
    connect(library_, &PromptLibrary::keysChanged, footer_, [this] {
        footer_->setKeys(library_->keys());
    });
    connect(library_, &PromptLibrary::counted, this, &PromptEditor::showCounts);
    connect(library_, &PromptLibrary::wildcardsChanged, this, &PromptEditor::readSyntax);
}

PromptEditor* PromptEditor::focused() {
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget()) {
        if (auto* editor = qobject_cast<PromptEditor*>(widget)) {
            return editor;
        }
    }
    return nullptr;
}

void PromptEditor::showValue() {
    // The same text again would move the cursor of whoever is typing.
    if (const QString text = plainText(value()); text != prompt_->toPlainText()) {
        const QSignalBlocker silent(prompt_);
        prompt_->setPlainText(text);
    }
    readSyntax();
}

void PromptEditor::begin() {
    prompt_->setFocus(Qt::OtherFocusReason);
    prompt_->selectAll();
}

void PromptEditor::setOtherParams(std::function<Json()> params) {
    otherParams_ = std::move(params);
    readSyntax();
}

void PromptEditor::setNodes(const std::vector<std::string>& nodes) {
    ParamEditor::setNodes(nodes);
    showCounts();
}

bool PromptEditor::wantsTab() const {
    return completion_ && completion_->isOpen();
}

void PromptEditor::readSyntax() {
    const Json otherParams = otherParams_ ? otherParams_() : Json::object();
    PromptSyntax syntax;
    const Json byDefault = weights_ ? graph::toJson(weights_->defaultValue) : Json("none");
    syntax.weights = readsWeights_ ? weightSyntaxNamed(otherParams.value(kWeightsParam, byDefault))
                                   : std::nullopt;
    syntax.readsTags =
        paramId() == kTaggedParam && otherParams.value(kTagsParam, Json(false)) == true;
    if (library_) {
        completion_->setReadsTags(syntax.readsTags);
        syntax.wildcards.emplace();
        for (const auto& [name, lines] : library_->wildcards()->lists) {
            syntax.wildcards->insert(QString::fromStdString(name));
        }
    }
    highlighter_->setSyntax(syntax);
    if (footer_) {
        offerWeights();  // readsWeights_ may be another, with the same pieces
    }
}

void PromptEditor::showCounts() {
    if (!footer_ || nodes().empty()) {
        return;
    }
    const TextCounts counts = library_->countsOf(nodes().front(), paramId());
    footer_->setCounts(countText(counts));
    readsWeights_ = counts.readsWeights;
    readSyntax();
    const EncoderCount* shortest = nullptr;
    for (const EncoderCount& count : counts.encoders) {
        const bool isCut = count.readBytes >= 0 && !counts.isDrawn;
        if (isCut && (!shortest || count.readBytes < shortest->readBytes)) {
            shortest = &count;
        }
    }
    if (!shortest) {
        highlighter_->setCut(-1, {});
        return;
    }
    const QByteArray text = prompt_->toPlainText().toUtf8();
    const auto read = QString::fromUtf8(text.left(shortest->readBytes)).size();
    highlighter_->setCut(
        static_cast<int>(read),
        tr("Left out: %1 reads %2 tokens.").arg(shortest->encoder).arg(shortest->capacity));
}

/// Where the node could read what is marked.
void PromptEditor::offerWeights() {
    const std::vector<PromptPiece>& pieces = highlighter_->pieces();
    const bool isOffered =
        weights_ && readsWeights_ &&
        std::ranges::any_of(weights_->choices,
                            [](const auto& choice) { return choice.id == kWeightsOfA1111; }) &&
        std::ranges::any_of(pieces, &PromptPiece::isReadByA1111);
    footer_->setReadsMore(isOffered);
}

void PromptEditor::readAsA1111() {
    finish();
    library_->putTexts(nodes(),
                       {{kWeightsParam, QLatin1String(kWeightsOfA1111)}},
                       tr("Read %1 as A1111").arg(QString::fromStdString(weights_->label)));
    readSyntax();
    prompt_->setFocus(Qt::OtherFocusReason);
}

void PromptEditor::changeWeight(double change) {
    const Json otherParams = otherParams_ ? otherParams_() : Json::object();
    const std::optional<WeightSyntax> syntax =
        weightSyntaxNamed(otherParams.value(kWeightsParam, graph::toJson(weights_->defaultValue)));
    if (!syntax) {
        explainNoWeights();
        return;
    }
    QTextCursor cursor = prompt_->textCursor();
    const SelectedText before{
        prompt_->toPlainText(), cursor.selectionStart(), cursor.selectionEnd()};
    const SelectedText after = changedWeight(before, change, *syntax);
    if (after == before) {
        return;
    }
    take(after.text);
    cursor.setPosition(after.from);
    cursor.setPosition(after.to, QTextCursor::KeepAnchor);
    prompt_->setTextCursor(cursor);
}

/// One step of the field's own undo, and of the graph's.
void PromptEditor::take(const QString& text) {
    finish();
    QTextCursor cursor = prompt_->textCursor();
    cursor.beginEditBlock();
    cursor.select(QTextCursor::Document);
    cursor.insertText(text);
    cursor.endEditBlock();
    if (completion_) {
        completion_->close();
    }
    finish();
}

void PromptEditor::explainNoWeights() {
    const QString why =
        tr("Brackets are text here. Choose another way under %1 to give words more weight.")
            .arg(QString::fromStdString(weights_->label));
    const QRect cursor = prompt_->cursorRect();
    QToolTip::showText(prompt_->viewport()->mapToGlobal(cursor.bottomLeft()), why, prompt_);
    announce(*prompt_, why);
}

void PromptEditor::complete() {
    if (completion_) {
        completion_->update(true);
    }
}

void PromptEditor::openStyles() {
    if (!library_ || nodes().empty()) {
        return;
    }
    finish();
    std::vector<SearchItem> items;
    for (const PromptStyle& style : library_->styles().styles()) {
        items.push_back(
            {.label = QString::fromStdString(style.name),
             .detail = shortened(QString::fromStdString(style.prompt)),
             .tooltip = QString::fromStdString(style.prompt + "\n\n" + style.negative).trimmed(),
             .choose = [this, name = QString::fromStdString(style.name)] { applyStyle(name); }});
    }
    items.push_back(
        {.label = tr("Save these texts as a style..."), .choose = [this] { saveStyle(); }});
    items.push_back({.label = tr("Rename, delete or import styles..."),
                     .choose = [this] { StylesDialog(library_->styles(), this).exec(); }});
    (new SearchList(std::move(items), this))->openAt(*prompt_, 0);
}

void PromptEditor::saveStyle() {
    const std::optional<QString> name = askStyleName(library_->styles(), {}, this);
    if (name) {
        PromptStyle style = library_->styleOf(nodes().front(), paramId());
        style.name = name->toStdString();
        library_->styles().put(style);
    }
}

void PromptEditor::applyStyle(const QString& name) {
    const PromptStyle* style = library_->styles().find(name);
    if (style && !nodes().empty()) {
        finish();
        library_->applyStyle(nodes(), paramId(), *style);
        prompt_->setFocus(Qt::OtherFocusReason);
    }
}

void PromptEditor::openPast() {
    if (!library_ || !library_->hasPast()) {
        return;
    }
    finish();
    library_->askPast(
        nodeType_, paramId(), this, [this](const PastPrompts& prompts) { listPast(prompts); });
}

void PromptEditor::listPast(const PastPrompts& prompts) {
    std::vector<SearchItem> items;
    const size_t count = std::min(prompts.size(), kMostPast);
    for (size_t i = 0; i < count; ++i) {
        const PastPrompt& past = prompts[i];
        const QString day = dateText(QDateTime::fromMSecsSinceEpoch(past.asked).date());
        items.push_back({.label = shortened(past.text),
                         .detail = tr("%1, %n runs", nullptr, static_cast<int>(past.runs)).arg(day),
                         .tooltip = past.text,
                         .choose = [this, text = past.text] {
                             take(text);
                             prompt_->setFocus(Qt::OtherFocusReason);
                         }});
    }
    if (items.empty()) {
        items.push_back({.label = tr("No run had such a text yet"), .isEnabled = false});
    }
    (new SearchList(std::move(items), this))->openAt(*prompt_, 0);
}

void PromptEditor::resizeEvent(QResizeEvent* event) {
    ParamEditor::resizeEvent(event);
    if (footer_) {
        footer_->setVisible(height() >= kHeightWithFooter);
    }
}

bool PromptEditor::takeKey(QKeyEvent& event) {
    const bool isControl = event.modifiers() & Qt::ControlModifier;
    const int key = event.key();
    if (!isControl && completion_ && completion_->takeKey(key)) {
        return true;
    }
    if (weights_ && isControl && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        changeWeight(key == Qt::Key_Up ? kWeightStep : -kWeightStep);
        return true;
    }
    if (library_ && event.matches(QKeySequence::Paste)) {
        offerImport();
        return false;
    }
    if (isControl && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        finish();
        event.ignore();
        return false;
    }
    return false;
}

/// The text is pasted all the same: it may be meant.
void PromptEditor::offerImport() {
    const QString text = QGuiApplication::clipboard()->text();
    if (interop::isForeign(text.toStdString())) {
        Q_EMIT library_->foreignPasted(text);
    }
}

bool PromptEditor::showTip(const QPoint& at) {
    const QTextCursor cursor = prompt_->cursorForPosition(at);
    const QString problem = highlighter_->problemAt(cursor.position());
    if (problem.isEmpty()) {
        return false;
    }
    QToolTip::showText(prompt_->viewport()->mapToGlobal(at), problem, prompt_);
    return true;
}

bool PromptEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched == prompt_->viewport() && event->type() == QEvent::ToolTip) {
        return showTip(static_cast<QHelpEvent*>(event)->pos());
    }
    if (watched == prompt_->viewport() && event->type() == QEvent::DragEnter &&
        !localFiles(static_cast<QDragEnterEvent*>(event)->mimeData()).isEmpty()) {
        event->ignore();  // a file is no text: what lies below takes it
        return true;
    }
    if (watched == prompt_) {
        if (event->type() == QEvent::KeyPress && takeKey(*static_cast<QKeyEvent*>(event))) {
            return true;
        }
        if (event->type() == QEvent::FocusOut && completion_) {
            completion_->close();
        }
        if (event->type() == QEvent::FocusIn && library_) {
            readSyntax();
            library_->readOwnWords();
        }
        // Escape closes the list of words, and nothing else hears of it.
        if (event->type() == QEvent::ShortcutOverride && wantsTab() &&
            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            event->accept();
            return true;
        }
    }
    return ParamEditor::eventFilter(watched, event);
}

}  // namespace lowtide::ui
