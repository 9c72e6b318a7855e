#include "ui/canvas/text_editing.hpp"

#include "ui/editors/edit_session.hpp"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace lowtide::ui {

TextEditing::TextEditing(QGraphicsView& view, GraphScene& scene) : view_(view), scene_(scene) {
    connect(&scene, &GraphScene::arranged, this, &TextEditing::place);
}

TextEditing::~TextEditing() {
    delete editor_;
}

void TextEditing::renameNode(const std::string& node) {
    const NodeItem* item = scene_.node(node);
    if (item == nullptr) {
        return;
    }
    const auto where = [this, node] {
        const NodeItem* now = scene_.node(node);
        return now == nullptr ? QRectF() : now->layout().title.translated(now->pos());
    };
    begin(item->face().title, false, where, [this, node](const QString& text) {
        const NodeDesc* desc = scene_.model().desc(node);
        const std::string title = text.trimmed().toStdString();
        scene_.model().apply(tr("Rename"), [&](graph::Document& document) {
            const bool isOwn = !title.empty() && (desc == nullptr || title != desc->label);
            document.nodes.at(node).title = isOwn ? std::optional(title) : std::nullopt;
        });
    });
}

void TextEditing::writeBox(BoxKind kind, const std::string& id) {
    const BoxItem* item = scene_.box(kind, id);
    if (item == nullptr) {
        return;
    }
    const auto where = [this, kind, id] {
        const BoxItem* now = scene_.box(kind, id);
        return now == nullptr ? QRectF() : now->textInScene();
    };
    begin(QString::fromStdString(item->box().text),
          kind == BoxKind::Note,
          where,
          [this, kind, id](const QString& text) {
              const BoxItem* now = scene_.box(kind, id);
              if (now == nullptr) {
                  return;
              }
              Box box = now->box();
              box.text = text.toStdString();
              scene_.model().apply(kind == BoxKind::Note ? tr("Write note") : tr("Rename frame"),
                                   [&](graph::Document& document) { putBox(document, kind, box); });
          });
}

void TextEditing::begin(const QString& text, bool isLong, Where where, Take take) {
    end();
    where_ = std::move(where);
    take_ = std::move(take);
    if (isLong) {
        auto* edit = new QPlainTextEdit(text, view_.viewport());
        edit->setFrameShape(QFrame::NoFrame);
        edit->selectAll();
        editor_ = edit;
    } else {
        auto* edit = new QLineEdit(text, view_.viewport());
        edit->selectAll();
        editor_ = edit;
    }
    editor_->setObjectName(QStringLiteral("canvasText"));
    editor_->setAccessibleName(isLong ? tr("Text of the note") : tr("Title"));
    editor_->installEventFilter(this);
    EditSession::watch(*editor_, [this] {
        close(true);
        return true;
    });
    place();
    editor_->show();
    editor_->setFocus(Qt::OtherFocusReason);
}

void TextEditing::place() {
    if (editor_.isNull()) {
        return;
    }
    const QRectF where = where_();
    if (where.isNull()) {
        close(false);
        return;
    }
    const bool isLong = qobject_cast<QPlainTextEdit*>(editor_) != nullptr;
    QFont font = isLong ? scene_.look().bodyFont : scene_.look().strongFont;
    const double zoom = view_.transform().m11();
    font.setPixelSize(std::max(1, static_cast<int>(QFontInfo(font).pixelSize() * zoom)));
    editor_->setFont(font);
    editor_->setMinimumSize(0, 0);
    const double margin = isLong ? 0 : 4;
    editor_->setGeometry(
        view_.mapFromScene(where.adjusted(-margin, margin, margin, -margin)).boundingRect());
}

void TextEditing::end() {
    close(true);
}

void TextEditing::close(bool isTaken) {
    if (editor_.isNull()) {
        return;
    }
    QWidget* editor = editor_;
    editor_.clear();
    const auto* line = qobject_cast<QLineEdit*>(editor);
    const QString text =
        line != nullptr ? line->text() : qobject_cast<QPlainTextEdit*>(editor)->toPlainText();
    editor->removeEventFilter(this);
    const bool hadFocus = editor->hasFocus();
    editor->hide();
    editor->deleteLater();
    if (hadFocus) {
        view_.setFocus(Qt::OtherFocusReason);
    }
    if (isTaken) {
        take_(text);
    }
}

bool TextEditing::eventFilter(QObject* watched, QEvent* event) {
    const bool isPress = event->type() == QEvent::KeyPress;
    if (isPress || event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        const bool isLong = qobject_cast<QPlainTextEdit*>(watched) != nullptr;
        if (key->key() == Qt::Key_Escape ||
            (isReturn && (!isLong || key->modifiers().testFlag(Qt::ControlModifier)))) {
            event->accept();  // the window's shortcut stays out of it
            if (isPress) {
                close(isReturn);
            }
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace lowtide::ui
