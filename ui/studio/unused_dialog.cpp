#include "ui/studio/unused_dialog.hpp"

#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

Bytes bytesOf(const QFileInfoList& files) {
    Bytes all = 0;
    for (const QFileInfo& file : files) {
        all += file.size();
    }
    return all;
}

QTreeWidget* listOf(const QFileInfoList& files, QWidget* parent) {
    auto* list = new QTreeWidget(parent);
    list->setObjectName(QStringLiteral("list"));
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setHeaderLabels(
        {UnusedDialog::tr("File"), UnusedDialog::tr("Size"), UnusedDialog::tr("Written")});
    for (const QFileInfo& file : files) {
        auto* row =
            new QTreeWidgetItem(list,
                                {file.fileName(),
                                 bytesText(file.size()),
                                 QLocale().toString(file.lastModified(), QLocale::ShortFormat)});
        row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    }
    list->setCurrentItem(list->topLevelItem(0));
    list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    return list;
}

}  // namespace

UnusedDialog::UnusedDialog(const QFileInfoList& files, const QString& graph, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("unused"));
    setWindowTitle(tr("Unused masks"));
    resize(Theme::space(160), Theme::space(110));
    const int count = static_cast<int>(files.size());
    auto* head = new QLabel(tr("%n files beside “%1” are unused: %2.", nullptr, count)
                                .arg(graph, bytesText(bytesOf(files))),
                            this);
    head->setObjectName(QStringLiteral("head"));
    head->setTextFormat(Qt::PlainText);
    head->setWordWrap(true);
    auto* looked = new QLabel(
        tr("The studio wrote these masks, crops and extended images. No graph in this folder, undo "
           "step, backup, preset or run uses them; graphs in other folders are not checked."),
        this);
    looked->setWordWrap(true);
    QTreeWidget* list = listOf(files, this);
    list->setAccessibleName(tr("Unused masks"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton* move =
        buttons->addButton(tr("Move to the wastebasket"), QDialogButtonBox::AcceptRole);
    move->setObjectName(QStringLiteral("move"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    column->addWidget(head);
    column->addWidget(looked);
    column->addWidget(list, 1);
    column->addWidget(buttons);
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
}

}  // namespace lowtide::ui
