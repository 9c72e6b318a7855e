#include "ui/studio/find_node.hpp"

#include "ui/editors/param_editor.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

QString foundNameOf(const graph::DocumentNode& node, const NodeDesc* desc) {
    const QString label = QString::fromStdString(desc ? desc->label : node.type);
    return node.title ? QStringLiteral("%1 (%2)").arg(QString::fromStdString(*node.title), label)
                      : label;
}

}  // namespace

std::vector<FoundNode> findNodes(const GraphModel& model, const QString& words) {
    std::vector<FoundNode> found;
    for (const auto& [id, node] : model.document().nodes) {
        const NodeDesc* desc = model.desc(id);
        const QString name = foundNameOf(node, desc);
        if (name.contains(words, Qt::CaseInsensitive) ||
            QString::fromStdString(id).contains(words, Qt::CaseInsensitive)) {
            found.push_back({id, {}, name});
        }
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const QString value = node.params.contains(param.id)
                                      ? valueText(param, node.params.at(param.id)).simplified()
                                      : QString();
            if (!words.isEmpty() && value.contains(words, Qt::CaseInsensitive)) {
                found.push_back(
                    {id,
                     param.id,
                     listed({name, titled(QString::fromStdString(param.label), value)})});
            }
        }
    }
    return found;
}

FindNode::FindNode(const GraphModel& model, QWidget* parent)
    : QDialog(parent), model_(model), words_(new QLineEdit(this)), list_(new QListWidget(this)) {
    setObjectName(QStringLiteral("findNode"));
    setWindowTitle(tr("Find a node"));
    resize(Theme::space(110), Theme::space(80));
    words_->setObjectName(QStringLiteral("words"));
    words_->setPlaceholderText(tr("Name, type or value"));
    words_->installEventFilter(this);
    list_->setObjectName(QStringLiteral("list"));
    list_->setTextElideMode(Qt::ElideRight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(3), Theme::space(3), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(2));
    column->addWidget(words_);
    column->addWidget(list_, 1);
    connect(words_, &QLineEdit::textChanged, this, &FindNode::fill);
    connect(words_, &QLineEdit::returnPressed, this, &FindNode::choose);
    connect(list_, &QListWidget::itemActivated, this, &FindNode::choose);
    connect(list_, &QListWidget::itemClicked, this, &FindNode::choose);
    fill();
}

bool FindNode::eventFilter(QObject* watched, QEvent* event) {
    if (watched == words_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void FindNode::fill() {
    found_ = findNodes(model_, words_->text().trimmed());
    list_->clear();
    for (const FoundNode& found : found_) {
        list_->addItem(found.text);
    }
    list_->setCurrentRow(found_.empty() ? -1 : 0);
}

void FindNode::choose() {
    const int row = list_->currentRow();
    if (row < 0) {
        return;
    }
    const FoundNode found = found_.at(static_cast<size_t>(row));
    accept();
    Q_EMIT chosen(found.node, found.item);
}

}  // namespace lowtide::ui
