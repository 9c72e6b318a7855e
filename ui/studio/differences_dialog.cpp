#include "ui/studio/differences_dialog.hpp"

#include "ui/editors/param_editor.hpp"
#include "ui/theme/theme.hpp"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

using What = GraphDifference::What;

const NodeDesc* descOf(const std::string& node,
                       const graph::Document& document,
                       const graph::Catalog& catalog) {
    const auto found = document.nodes.find(node);
    return found == document.nodes.end() ? nullptr : catalog.find(found->second.type);
}

const ParamDesc* paramOf(const NodeDesc* desc, const std::string& param) {
    if (!desc) {
        return nullptr;
    }
    const auto found = std::find_if(desc->params.begin(),
                                    desc->params.end(),
                                    [&](const ParamDesc& each) { return each.id == param; });
    return found == desc->params.end() ? nullptr : &*found;
}

QString settingText(const std::string& setting) {
    return setting == "memory_budget"  ? DifferencesDialog::tr("Memory budget")
           : setting == "device"       ? DifferencesDialog::tr("Device")
           : setting == "gc_threshold" ? DifferencesDialog::tr("Collect memory at")
           : setting == "low_memory"   ? DifferencesDialog::tr("Low-memory mode")
                                       : DifferencesDialog::tr("Exact");
}

QString itemText(const GraphDifference& difference, const NodeDesc* desc) {
    switch (difference.what) {
        case What::Param:
            if (const ParamDesc* param = paramOf(desc, difference.item)) {
                return QString::fromStdString(param->label);
            }
            return QString::fromStdString(difference.item);
        case What::Memory:
            return DifferencesDialog::tr("Memory");
        case What::Precision:
            return DifferencesDialog::tr("Precision");
        case What::Mode:
            return DifferencesDialog::tr("Mode");
        case What::Source:
            return DifferencesDialog::tr("Input %1").arg(QString::fromStdString(difference.item));
        default:
            return {};
    }
}

QString statedValue(const Json& value, const ParamDesc* param) {
    return value.is_null()     ? DifferencesDialog::tr("not set")
           : param             ? valueText(*param, value)
           : value.is_string() ? QString::fromStdString(value.get<std::string>())
                               : QString::fromStdString(value.dump());
}

}  // namespace

QString placeText(const GraphDifference& difference,
                  const graph::Document& document,
                  const graph::Catalog& catalog) {
    if (difference.what == What::Setting) {
        return settingText(difference.item);
    }
    const NodeDesc* desc = descOf(difference.node, document, catalog);
    const auto node = document.nodes.find(difference.node);
    const std::string label = node != document.nodes.end() && node->second.title
                                  ? *node->second.title
                              : desc ? desc->label
                                     : difference.node;
    const QString item = itemText(difference, desc);
    return item.isEmpty()
               ? QString::fromStdString(label)
               : DifferencesDialog::tr("%1, %2").arg(QString::fromStdString(label), item);
}

DifferencesDialog::DifferencesDialog(const QString& run,
                                     const graph::Document& then,
                                     const GraphModel& open,
                                     QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("differences"));
    setWindowTitle(tr("What differs"));
    resize(Theme::space(180), Theme::space(110));
    const graph::Document& now = open.document();
    const std::vector<GraphDifference> found = differencesBetween(then, now);
    auto* head = new QLabel(found.empty() ? tr("The open graph is the one of “%1”.").arg(run)
                                          : tr("“%1” beside the open graph:").arg(run),
                            this);
    head->setObjectName(QStringLiteral("head"));
    head->setWordWrap(true);
    auto* list = new QTreeWidget(this);
    list->setObjectName(QStringLiteral("list"));
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setHeaderLabels({tr("Where"), tr("In that run"), tr("Now")});
    for (const GraphDifference& each : found) {
        const bool isAdded = each.what == What::Added;
        const bool isRemoved = each.what == What::Removed;
        const graph::Document& owner = isAdded ? now : then;
        const ParamDesc* param = each.what == What::Param
                                     ? paramOf(descOf(each.node, owner, open.catalog()), each.item)
                                     : nullptr;
        const QString before = isAdded     ? tr("no such node")
                               : isRemoved ? tr("there")
                                           : statedValue(each.before, param);
        const QString after = isAdded     ? tr("there")
                              : isRemoved ? tr("no such node")
                                          : statedValue(each.after, param);
        auto* row = new QTreeWidgetItem(
            list,
            {placeText(each, owner, open.catalog()), before.simplified(), after.simplified()});
        row->setToolTip(1, before);
        row->setToolTip(2, after);
    }
    list->setVisible(!found.empty());
    list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    list->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    column->addWidget(head);
    column->addWidget(list, 1);
    column->addStretch(found.empty() ? 1 : 0);
    column->addWidget(buttons);
}

}  // namespace lowtide::ui
