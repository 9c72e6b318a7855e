<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>NodeFace</name>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NodeTexts</name>
    <message numerus="yes">
        <source>%n more inputs</source>
        <translation>
            <numerusform>%n more input</numerusform>
            <numerusform>%n more inputs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Prompts</name>
    <message numerus="yes">
        <source>%1: %2 tokens in %n chunks of %3.</source>
        <translation>
            <numerusform>%1: %2 tokens in %n chunk of %3.</numerusform>
            <numerusform>%1: %2 tokens in %n chunks of %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more are left out.</source>
        <translation>
            <numerusform>%n more is left out.</numerusform>
            <numerusform>%n more are left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::AxisEditor</name>
    <message numerus="yes">
        <source>%n values: %1</source>
        <translation>
            <numerusform>%n value: %1</numerusform>
            <numerusform>%n values: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FactsList</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Gallery</name>
    <message numerus="yes">
        <source>%n images</source>
        <translation>
            <numerusform>%n image</numerusform>
            <numerusform>%n images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n marked</source>
        <translation>
            <numerusform>%n marked</numerusform>
            <numerusform>%n marked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryController</name>
    <message numerus="yes">
        <source>%n runs had not ended when the studio did.</source>
        <translation>
            <numerusform>%n run had not ended when the studio did.</numerusform>
            <numerusform>%n runs had not ended when the studio did.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of these runs have been taken by another studio.</source>
        <translation>
            <numerusform>%n of these runs has been taken by another studio.</numerusform>
            <numerusform>%n of these runs have been taken by another studio.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryRemoval</name>
    <message numerus="yes">
        <source>%n images are in the wastebasket.</source>
        <translation>
            <numerusform>%n image is in the wastebasket.</numerusform>
            <numerusform>%n images are in the wastebasket.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images without a file are taken from the list.</source>
        <translation>
            <numerusform>%n image without a file is taken from the list.</numerusform>
            <numerusform>%n images without a file are taken from the list.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images are back.</source>
        <translation>
            <numerusform>%n image is back.</numerusform>
            <numerusform>%n images are back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GraphView</name>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wire(s)</source>
        <translation>
            <numerusform>%n wire</numerusform>
            <numerusform>%n wires</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::HashSearchDialog</name>
    <message numerus="yes">
        <source>%n models of this kind have no hash yet. The search reads %1 at most, until one has it; hashes are kept.</source>
        <translation>
            <numerusform>%n model of this kind has no hash yet. The search reads %1; the hash is kept.</numerusform>
            <numerusform>%n models of this kind have no hash yet. The search reads %1 at most, until one has it; hashes are kept.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files could not be read:</source>
        <translation>
            <numerusform>%n file could not be read:</numerusform>
            <numerusform>%n files could not be read:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ImportReports</name>
    <message numerus="yes">
        <source>%n exact</source>
        <translation>
            <numerusform>%n exact</numerusform>
            <numerusform>%n exact</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n near</source>
        <translation>
            <numerusform>%n near</numerusform>
            <numerusform>%n near</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n missing</source>
        <translation>
            <numerusform>%n missing</numerusform>
            <numerusform>%n missing</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n outputs are muted: they need a node that is not here.</source>
        <translation>
            <numerusform>%n output is muted: it needs a node that is not here.</numerusform>
            <numerusform>%n outputs are muted: they need a node that is not here.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Inspector</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::IssuesPanel</name>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaskController</name>
    <message numerus="yes">
        <source>%n files are in the wastebasket.</source>
        <translation>
            <numerusform>%n file is in the wastebasket.</numerusform>
            <numerusform>%n files are in the wastebasket.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MissingFilesDialog</name>
    <message numerus="yes">
        <source>Choose one of %n</source>
        <translation>
            <numerusform>Choose it</numerusform>
            <numerusform>Choose one of %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelsPanel</name>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>%n found</numerusform>
            <numerusform>%n found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetCards</name>
    <message numerus="yes">
        <source>%n files missing</source>
        <translation>
            <numerusform>%n file missing</numerusform>
            <numerusform>%n files missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetCommands</name>
    <message numerus="yes">
        <source>“%1” has no place for %n prompts of the image.</source>
        <translation>
            <numerusform>“%1” has no place for %n prompt of the image.</numerusform>
            <numerusform>“%1” has no place for %n prompts of the image.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files of “%1” are missing.</source>
        <translation>
            <numerusform>%n file of “%1” is missing.</numerusform>
            <numerusform>%n files of “%1” are missing.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PromptEditor</name>
    <message numerus="yes">
        <source>%1, %n runs</source>
        <translation>
            <numerusform>%1, %n run</numerusform>
            <numerusform>%1, %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::QueuePanel</name>
    <message numerus="yes">
        <source>%n waiting runs were cancelled.</source>
        <translation>
            <numerusform>%n waiting run was cancelled.</numerusform>
            <numerusform>%n waiting runs were cancelled.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs were removed from the history.</source>
        <translation>
            <numerusform>%n run was removed from the history.</numerusform>
            <numerusform>%n runs were removed from the history.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::QueueRows</name>
    <message numerus="yes">
        <source>done in %1, %n files</source>
        <translation>
            <numerusform>done in %1, %n file</numerusform>
            <numerusform>done in %1, %n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RecoveryDialog</name>
    <message numerus="yes">
        <source>%1, %n nodes, kept %2</source>
        <translation>
            <numerusform>%1, %n node, kept %2</numerusform>
            <numerusform>%1, %n nodes, kept %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ReportDialog</name>
    <message numerus="yes">
        <source>%n characters</source>
        <translation>
            <numerusform>%n character</numerusform>
            <numerusform>%n characters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunCommands</name>
    <message numerus="yes">
        <source>%n waiting runs were cancelled.</source>
        <translation>
            <numerusform>%n waiting run was cancelled.</numerusform>
            <numerusform>%n waiting runs were cancelled.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A run is in progress; %n more are waiting.</source>
        <translation>
            <numerusform>A run is in progress; %n more is waiting.</numerusform>
            <numerusform>A run is in progress; %n more are waiting.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs are waiting in the queue.</source>
        <translation>
            <numerusform>%n run is waiting in the queue.</numerusform>
            <numerusform>%n runs are waiting in the queue.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunLibrary</name>
    <message numerus="yes">
        <source>The list of earlier runs was damaged. %n images of it could be saved, and it goes on in “%1”; the damaged file “%2” is kept. The images&apos; own files are untouched.</source>
        <translation>
            <numerusform>The list of earlier runs was damaged. %n image of it could be saved, and it goes on in “%1”; the damaged file “%2” is kept. The images&apos; own files are untouched.</numerusform>
            <numerusform>The list of earlier runs was damaged. %n images of it could be saved, and it goes on in “%1”; the damaged file “%2” is kept. The images&apos; own files are untouched.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunNotices</name>
    <message numerus="yes">
        <source>%1 (and %n more)</source>
        <translation>
            <numerusform>%1 (and %n more)</numerusform>
            <numerusform>%1 (and %n more)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saved %n images in %1, the last one is %2.</source>
        <translation>
            <numerusform>Saved %n image in %1, the last one is %2.</numerusform>
            <numerusform>Saved %n images in %1, the last one is %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunQueue</name>
    <message numerus="yes">
        <source>%n events of the run came too fast to be shown</source>
        <translation>
            <numerusform>%n event of the run came too fast to be shown</numerusform>
            <numerusform>%n events of the run came too fast to be shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunSpeaker</name>
    <message numerus="yes">
        <source>Issues: %n error(s)</source>
        <translation>
            <numerusform>Issues: %n error</numerusform>
            <numerusform>Issues: %n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs were taken back.</source>
        <translation>
            <numerusform>%n run was taken back.</numerusform>
            <numerusform>%n runs were taken back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SeveralDialog</name>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations, one run each</source>
        <translation>
            <numerusform>%n combination, one run each</numerusform>
            <numerusform>%n combinations, one run each</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetDialog</name>
    <message numerus="yes">
        <source>%1 × %2 values make %n images.</source>
        <translation>
            <numerusform>%1 × %2 values make %n image.</numerusform>
            <numerusform>%1 × %2 values make %n images.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images.</source>
        <translation>
            <numerusform>%n image.</numerusform>
            <numerusform>%n images.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cannot run: %1</source>
        <translation>
            <numerusform>%n cannot run: %1</numerusform>
            <numerusform>%n cannot run: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetView</name>
    <message numerus="yes">
        <source>The first of %n images</source>
        <translation>
            <numerusform>The first of %n image</numerusform>
            <numerusform>The first of %n images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StylesDialog</name>
    <message numerus="yes">
        <source>%n styles were imported.</source>
        <translation>
            <numerusform>%n style was imported.</numerusform>
            <numerusform>%n styles were imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::TimelineChart</name>
    <message numerus="yes">
        <source>%n collections</source>
        <translation>
            <numerusform>%n collection</numerusform>
            <numerusform>%n collections</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::UnusedDialog</name>
    <message numerus="yes">
        <source>%n files next to “%1” are unused: %2.</source>
        <translation>
            <numerusform>%n file next to “%1” is unused: %2.</numerusform>
            <numerusform>%n files next to “%1” are unused: %2.</numerusform>
        </translation>
    </message>
</context>
</TS>
