package kernels

// Version says of which sources the leads are.
func (l Library) Version() string {
	if l == Reference {
		return "tflite-micro 90b983c2"
	}
	return "CMSIS-NN 99f736a6"
}
