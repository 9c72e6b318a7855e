#include "ui/studio/find_node.hpp"

#include "ui/editors/param_editor.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"

#include <QLineEdit>
#include <QListView>
#include <QStandardItemModel>
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

FindNode::FindNode(const GraphModel& model, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("findNode"));
    setWindowTitle(tr("Find a node"));
    resize(Theme::space(110), Theme::space(80));
    const auto fill = [this, &model](QStandardItemModel& rows, const QString& words) {
        found_ = findNodes(model, words);
        for (const FoundNode& found : found_) {
            rows.appendRow(new QStandardItem(found.text));
        }
    };
    auto* picker = new Picker(tr("Name, type or value"), Theme::space(2), fill, this);
    picker->field().setObjectName(QStringLiteral("words"));
    picker->list().setObjectName(QStringLiteral("list"));
    picker->list().setTextElideMode(Qt::ElideRight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(1), Theme::space(1), Theme::space(1), Theme::space(1));
    column->addWidget(picker);
    connect(picker, &Picker::taken, this, &FindNode::choose);
    connect(&picker->list(), &QListView::activated, this, [this](const QModelIndex& row) {
        choose(row.row());
    });
    picker->refresh();
}

void FindNode::choose(int row) {
    const FoundNode found = found_.at(static_cast<size_t>(row));
    accept();
    Q_EMIT chosen(found.node, found.item);
}

}  // namespace lowtide::ui
