#include "ui/canvas/in_place_editing.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/number_text.hpp"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScopedValueRollback>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr double kLeastEditorZoom = 0.92;  ///< an editor's letters keep 11 pixels

const RowFace* rowOf(const NodeItem* item, const std::string& param) {
    const int index = item == nullptr ? -1 : item->face().rowIndex(param);
    return index < 0 ? nullptr : &item->face().rows[static_cast<size_t>(index)];
}

}  // namespace

TextEditing::TextEditing(QGraphicsView& view, GraphScene& scene) : view_(view), scene_(scene) {
    connect(&scene, &GraphScene::arranged, this, &TextEditing::reposition);
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

void TextEditing::renameGroup(const std::string& group) {
    const Group* found = scene_.groups().find(group);
    if (found == nullptr) {
        return;
    }
    const auto where = [this, group] {
        const Group* now = scene_.groups().find(group);
        if (now == nullptr) {
            return QRectF();
        }
        const NodeItem& item = *scene_.node(group);
        return now->isFolded ? item.layout().title.translated(item.pos())
                             : scene_.groupFrames().at(group)->textInScene();
    };
    begin(QString::fromStdString(found->title), false, where, [this, group](const QString& text) {
        const Group* now = scene_.groups().find(group);
        if (now == nullptr || text.trimmed().isEmpty()) {
            return;
        }
        Group renamed = *now;
        renamed.title = text.trimmed().toStdString();
        scene_.model().apply(tr("Rename group"),
                             [&](graph::Document& document) { putGroup(document, renamed); });
    });
}

void TextEditing::renamePort(const std::string& group, const graph::PortRef& port, bool isOutput) {
    const auto spotOf = [this, group, port, isOutput]() -> std::pair<QRectF, QString> {
        const NodeItem* item = scene_.node(group);
        const int index = item == nullptr ? -1
                          : isOutput      ? item->face().outputIndex(nameInGroup(port))
                                          : item->face().inputIndex(nameInGroup(port));
        if (index < 0 || !item->isVisible()) {
            return {};
        }
        const auto at = static_cast<size_t>(index);
        const auto& spots = isOutput ? item->layout().outputs : item->layout().inputs;
        const auto& ports = isOutput ? item->face().outputs : item->face().inputs;
        return {spots[at].label.translated(item->pos()), ports[at].label};
    };
    const QString before = spotOf().second;
    begin(
        before,
        false,
        [spotOf] { return spotOf().first; },
        [this, group, port, isOutput, before](const QString& text) {
            const Group* now = scene_.groups().find(group);
            if (now == nullptr || text.trimmed() == before) {
                return;
            }
            Group renamed = *now;
            std::vector<GroupPort>& ports = isOutput ? renamed.outputs : renamed.inputs;
            auto own = std::ranges::find(ports, port, &GroupPort::port);
            if (own == ports.end()) {
                own = ports.insert(own, {.port = port, .label = {}});
            }
            own->label = text.trimmed().toStdString();
            scene_.model().apply(tr("Rename port"),
                                 [&](graph::Document& document) { putGroup(document, renamed); });
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
    reposition();
    editor_->show();
    editor_->setFocus(Qt::OtherFocusReason);
}

void TextEditing::reposition() {
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
            event->accept();  // the window's shortcut does not act
            if (isPress) {
                close(isReturn);
            }
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

RowEditing::RowEditing(QGraphicsView& view, GraphScene& scene, const OfferedFiles* offered)
    : view_(view), scene_(scene), offered_(offered) {
    connect(&scene, &GraphScene::arranged, this, &RowEditing::modelChanged);
}

RowEditing::~RowEditing() {
    delete editor_;
}

bool RowEditing::begin(const std::string& node, const std::string& param) {
    end();
    const NodeItem* item = scene_.node(node);
    const RowFace* row = rowOf(item, param);
    if (row == nullptr || row->desc == nullptr || item->layout().rows.empty()) {
        return false;
    }
    node_ = node;
    param_ = param;
    if (row->desc->kind == ParamKind::Bool) {
        flip(row->node, *row->desc, row->json);
        return true;
    }
    editor_ =
        makeParamEditor(*scene_.model().desc(row->node), *row->desc, offered_, view_.viewport());
    editor_->setObjectName(QStringLiteral("rowEditor"));
    editor_->setAutoFillBackground(true);
    editor_->setValue(row->json);
    editor_->setProblem(refusalOf(*row->desc, row->json));
    editor_->setOtherParams([this, owner = row->node] {
        const graph::DocumentNode* own = scene_.model().node(owner);
        return own ? own->params : Json::object();
    });
    editor_->setNodes({row->node});
    connect(editor_, &ParamEditor::edited, this, &RowEditing::change);
    connect(editor_, &ParamEditor::dismissed, this, [this] {
        end();
        view_.setFocus(Qt::OtherFocusReason);
    });
    for (QWidget* part : editor_->findChildren<QWidget*>()) {
        part->installEventFilter(this);
    }
    editor_->installEventFilter(this);
    reposition();
    editor_->show();
    editor_->setFocus(Qt::OtherFocusReason);
    editor_->begin();
    return true;
}

bool RowEditing::beginNext(const std::string& node, int step) {
    const NodeItem* item = scene_.node(node);
    if (item == nullptr || item->face().rows.empty() || item->layout().rows.empty()) {
        return false;
    }
    const int count = static_cast<int>(item->face().rows.size());
    const int before = node_ == node ? item->face().rowIndex(param_) : step > 0 ? -1 : count;
    for (int i = 1; i <= count; ++i) {
        const int next = ((before + step * i) % count + count) % count;
        const RowFace& row = item->face().rows[static_cast<size_t>(next)];
        if (row.desc != nullptr) {
            return begin(node, row.param);
        }
    }
    return false;
}

void RowEditing::end() {
    if (editor_.isNull()) {
        return;
    }
    ParamEditor* editor = editor_;
    editor_.clear();
    editor->hide();  // may confirm what was typed: the signal still arrives
    editor->disconnect(this);
    editor->deleteLater();
    scene_.model().endMerging();
}

void RowEditing::reposition() {
    const NodeItem* item = scene_.node(node_);
    const RowFace* row = rowOf(item, param_);
    if (editor_.isNull()) {
        return;
    }
    if (row == nullptr || item->layout().rows.empty() || !item->isVisible()) {
        end();
        return;
    }
    const QRectF value = item->valueInScene(item->face().rowIndex(param_));
    const double zoom = std::max(view_.transform().m11(), kLeastEditorZoom);
    QFont font = scene_.look().smallFont;
    font.setPixelSize(static_cast<int>(QFontInfo(font).pixelSize() * zoom));
    editor_->setFont(font);
    editor_->setMinimumSize(0, 0);
    QRect area = view_.mapFromScene(value).boundingRect();
    const QSize least = (value.size() * zoom).toSize();
    if (area.height() < least.height()) {  // too small to read: larger, about the same middle
        const QPoint middle = area.center();
        area.setSize(least);
        area.moveCenter(middle);
    }
    editor_->setGeometry(area);
}

void RowEditing::write(const std::string& node, const ParamDesc& param, const Json& value) {
    const QScopedValueRollback<bool> writing(isWriting_, true);
    scene_.model().apply(
        tr("Change %1").arg(QString::fromStdString(param.label)),
        [&](graph::Document& document) { document.nodes.at(node).params[param.id] = value; },
        QString::fromStdString("param/" + node + "/" + param.id));
}

void RowEditing::flip(const std::string& node, const ParamDesc& param, const Json& value) {
    write(node, param, !(value.is_boolean() && value.get<bool>()));
    scene_.model().endMerging();
}

void RowEditing::change(const Json& value, bool isFinal) {
    const RowFace* row = rowOf(scene_.node(node_), param_);
    if (row == nullptr || row->desc == nullptr) {
        return;
    }
    const ParamDesc& param = *row->desc;
    if (value != row->json) {
        write(row->node, param, value);
    }
    if (!editor_.isNull()) {
        editor_->setProblem(refusalOf(param, value));
    }
    if (isFinal) {
        scene_.model().endMerging();
    }
}

void RowEditing::modelChanged() {
    if (editor_.isNull()) {
        return;
    }
    const RowFace* row = rowOf(scene_.node(node_), param_);
    if (row != nullptr && !isWriting_ && row->json != editor_->value()) {
        editor_->setValue(row->json);  // undone, or changed in the inspector
    }
    reposition();
}

bool RowEditing::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && !editor_.isNull()) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Tab || key == Qt::Key_Backtab) && !editor_->wantsTab()) {
            const std::string node = node_;
            beginNext(node, key == Qt::Key_Tab ? 1 : -1);
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace lowtide::ui
