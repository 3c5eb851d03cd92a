package main

import "github.com/spf13/cobra"

func newJudge() *cobra.Command {
	return parent("judge", "Work with judges", "",
		"  lore judge validate -h\n  lore judge calibrate -h\n  lore judge audit -h",
		newValidate(), newCalibrate(), newAudit())
}
